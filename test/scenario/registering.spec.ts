import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LeaseLostError, type ShardingContext } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import type { JobRegistrar } from '../../libs/elastic-job/src/runtime/index.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const OPTIONS = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1, failover: true };
const DRAIN_TIMEOUT_MS = 30_000;
const HUNG_GRACE_MS = 5_000;

let cluster: TestCluster;
let contexts: ShardingContext[];
let letGo: () => void;
beforeEach(() => (contexts = []));
afterEach(() => cluster.stop());

describe('a job that is removed while its handler runs', () => {
  it('aborts the handler when the session is lost, before another instance runs the item', async () => {
    await start(2, untilAborted);
    const { holder, other } = await runItem();

    const removing = registrarOf(holder).remove(JOB);
    cluster.partition(holder);
    await cluster.advance(8_500);

    expect(contexts[0]!.signal.reason).toMatchObject({ code: 'SESSION_LOST' });
    await cluster.advance(5_000);
    expect(cluster.runs(JOB)[1]).toMatchObject({ instance: other, source: 'FAILOVER' });
    await cluster.heal(holder);
    await cluster.clock.advanceUntil(removing);
  });

  it('makes assertHeld() refuse in a handler that ignores its signal, even in a new session', async () => {
    await start(2, untilLetGo);
    const { holder } = await runItem();

    const removing = registrarOf(holder).remove(JOB);
    cluster.partition(holder);
    await cluster.advance(12_000);
    await cluster.heal(holder);
    await cluster.advance(1_000);

    expect(cluster.instances[holder]!.runtime.status().session.state).toBe('RECONNECTED');
    expect(() => contexts[0]!.assertHeld()).toThrow(LeaseLostError);
    letGo();
    await cluster.clock.advanceUntil(removing);
  });

  it('stays in the status until the handler has returned, and takes part no more', async () => {
    await start(1, untilLetGo);
    await runItem();

    const removing = registrarOf(0).remove(JOB);
    await cluster.advance(1_000);

    expect(status()).toMatchObject([{ jobName: JOB, isLeaving: true, runningItems: 1, nextFireTime: undefined }]);
    expect(registrarOf(0).jobs).toEqual([]);
    expect(readiness().status).toBe('up');
    letGo();
    await cluster.clock.advanceUntil(removing);
    expect(status()).toEqual([]);
  });

  it('is reported as hung, and degrades readiness, if the handler does not return after its signal', async () => {
    await start(1, untilLetGo);
    await runItem();

    await cluster.clock.advanceUntil(registrarOf(0).remove(JOB));
    await cluster.advance(HUNG_GRACE_MS);

    expect(cluster.events(0).filter(({ kind }) => kind === 'hung')).toMatchObject([{ item: 0 }]);
    expect(readiness().status).toBe('degraded');
    letGo();
    await cluster.advance(0);
    expect(status()).toEqual([]);
    expect(readiness().status).toBe('up');
  });
});

describe('calls for a job that is being removed', () => {
  it('let a process that stops meanwhile wait for the handler', async () => {
    await start(1, untilLetGo);
    await runItem();
    const removing = registrarOf(0).remove(JOB);

    const stopping = cluster.instances[0]!.runtime.stop();
    await cluster.advance(5_000);
    expect(cluster.instances[0]!.runtime.status().phase).toBe('draining');
    letGo();
    await cluster.clock.advanceUntil(Promise.all([stopping, removing]));

    expect(outcomes()).toEqual(['succeeded']);
  });

  it('remove it once if they remove it twice', async () => {
    await start(1, untilLetGo);
    await runItem();

    const removals = [registrarOf(0).remove(JOB), registrarOf(0).remove(JOB)];
    await cluster.advance(1_000);
    letGo();
    await cluster.clock.advanceUntil(Promise.all(removals));

    await expect(registrarOf(0).remove(JOB)).rejects.toThrow('No job');
  });

  it('add a job of the same name once the old one has left', async () => {
    await start(1, untilLetGo);
    await runItem();
    const removing = registrarOf(0).remove(JOB);

    const adding = registrarOf(0).add(OPTIONS, () => {});
    await cluster.advance(5_000);
    expect(status()).toMatchObject([{ isLeaving: true }]);
    letGo();
    await cluster.clock.advanceUntil(Promise.all([removing, adding]));

    expect(status()).toMatchObject([{ isJoined: true, isLeaving: false }]);
    await expect(registrarOf(0).add(OPTIONS, () => {})).rejects.toThrow('has it already');
  });

  it('refuse a job of the same name while a handler of the old one hangs, and name its item', async () => {
    await start(1, untilLetGo);
    await runItem();
    const removing = registrarOf(0).remove(JOB);

    const adding = registrarOf(0).add(OPTIONS, () => {});
    adding.catch(() => {});
    await cluster.clock.advanceUntil(removing);

    await expect(adding).rejects.toThrow(/item 0 .* still runs/);
    letGo();
    await cluster.advance(0);
    await cluster.clock.advanceUntil(registrarOf(0).add(OPTIONS, () => {}));
  });

  it('refuse what needs the job, and say that it is being removed', async () => {
    await start(1, untilLetGo);
    await runItem();
    const removing = registrarOf(0).remove(JOB);
    const registrar = registrarOf(0);

    expect(() => registrar.pause(JOB)).toThrow('is being removed');
    expect(() => registrar.resume(JOB)).toThrow('is being removed');
    await expect(registrar.change(JOB, { jobParameter: 'x' })).rejects.toThrow('is being removed');
    await expect(cluster.instances[0]!.runtime.failover.claim(JOB)).rejects.toThrow('is being removed');
    letGo();
    await cluster.clock.advanceUntil(removing);
  });

  it('refuse new jobs once the process stops', async () => {
    await start(1, untilAborted);
    const { runtime } = cluster.instances[0]!;

    const stopping = runtime.stop();

    await expect(runtime.registrar.add({ ...OPTIONS, name: 'late' }, () => {})).rejects.toThrow('shutting down');
    await cluster.clock.advanceUntil(stopping);
  });
});

async function start(instances: number, handler: (context: ShardingContext) => unknown): Promise<void> {
  cluster = await createTestCluster({
    instances,
    drainTimeoutMs: DRAIN_TIMEOUT_MS,
    hungGraceMs: HUNG_GRACE_MS,
    jobs: [
      {
        ...OPTIONS,
        handler: (context) => {
          contexts.push(context);
          return context.source === 'FAILOVER' ? undefined : handler(context);
        },
      },
    ],
  });
}

/** Moves to the next fire time. */
async function runItem(): Promise<{ readonly holder: number; readonly other: number }> {
  await cluster.advance(60_000 - (cluster.clock.wallNow() % 60_000) + 1_000);
  const holder = cluster.runs(JOB)[0]!.instance;
  return { holder, other: 1 - holder };
}

function registrarOf(instance: number): JobRegistrar {
  return cluster.instances[instance]!.runtime.registrar;
}

function status() {
  return cluster.instances[0]!.runtime.status().jobs;
}

function readiness() {
  return judgeReadiness(cluster.instances[0]!.runtime.status());
}

function outcomes(): string[] {
  return cluster.events(0).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
}

async function untilAborted({ signal }: ShardingContext): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

async function untilLetGo(): Promise<void> {
  await new Promise<void>((resolve) => (letGo = resolve));
}
