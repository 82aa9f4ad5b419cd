import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createdRoot,
  type JobOptions,
  resolveJobOptions,
  type ShardingContext,
  ShuttingDownError,
} from '../../domain/index.js';
import type { WorkerPool } from '../../executor/index.js';
import { MemoryRegistry, type MemoryRegistryCenter, SessionLostError } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import type { JobEvent } from '../../tracing/index.js';
import { ElasticJobRuntime } from './elastic-job-runtime.js';
import type { JobDefinition } from '../settings/job-definition.js';

const JOB = 'settle-orders';
const SECOND = 1_000;
const NO_RIGHT = -102;

let clock: VirtualClock;
let registry: MemoryRegistry;
let center: MemoryRegistryCenter;
let pool: WorkerPool;
/** Grace of a handler after its signal has aborted, as the pool gets it for each run. */
let endAfterMs: (number | undefined)[];
let runtime: ElasticJobRuntime;
let told: JobEvent[];
beforeEach(() => {
  clock = new VirtualClock();
  registry = new MemoryRegistry(clock);
  center = connect();
  [told, endAfterMs] = [[], []];
  pool = {
    findFault: () => undefined,
    run: async (work) => void endAfterMs.push(work.endAfterMs),
    close: () => Promise.reject(new Error('threads that do not end')),
  };
  runtime = new ElasticJobRuntime({ registry: center, clock, connectionTimeoutMs: 3 * SECOND, workerPool: pool });
  runtime.events.on((event) => void told.push(event));
});
afterEach(() => clock.advanceUntil(runtime.stop()));

describe('a process without its registry', () => {
  it('ends its start at once if it is stopped', async () => {
    center.unplug();
    const starting = runtime.start();
    starting.catch(() => {}); // It is awaited below.
    await clock.advance(SECOND);
    const stopping = runtime.stop();
    await clock.advance(0);
    await expect(starting).rejects.toThrow(ShuttingDownError);
    await clock.advanceUntil(stopping);
  });

  it('rejects its start if it is stopped while a job joins', async () => {
    await runtime.registrar.register(job());
    registry.fail(({ kind, path }) => {
      if (kind === 'create' && path.includes('/instances/')) registry.cut(center.session.id!, 'replies');
      return undefined;
    });
    const starting = runtime.start();
    starting.catch(() => {}); // It is awaited below.
    await clock.advance(SECOND);
    await clock.advanceUntil(runtime.stop());
    await expect(starting).rejects.toThrow(ShuttingDownError);
  });

  it('gives its start up after the connection timeout', async () => {
    center.unplug();
    const before = clock.wallNow();
    await expect(clock.advanceUntil(runtime.start())).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    expect(clock.wallNow() - before).toBeLessThanOrEqual(4 * SECOND);
    expect(runtime.status().phase).toBe('stopped');
  });

  it('refuses to claim items of a job that has not joined', async () => {
    await runtime.registrar.register(job());
    await expect(runtime.failover.claim(JOB)).rejects.toThrow(SessionLostError);
  });
});

describe('a process that loses its session while it starts', () => {
  const NAMES = ['first', 'second', 'third'];
  /** Called at the end of the session, beside other listeners. */
  let besides: () => void;
  beforeEach(async () => {
    besides = () => {};
    for (const name of NAMES) await runtime.registrar.register(job({ name }));
    const off = runtime.events.on(({ kind }) => {
      if (kind !== 'joined') return;
      off();
      registry.expire(center.session.id!);
      besides();
    });
  });

  it('joins all its jobs in the next session', async () => {
    await clock.advanceUntil(runtime.start());

    expect(runtime.status().jobs).toMatchObject(NAMES.map(() => ({ isJoined: true })));
    const instance = `10.0.0.1@-@1-${center.session.id}`;
    for (const name of NAMES)
      expect(await clock.advanceUntil(center.children(`/${name}/instances`))).toEqual([instance]);
    expect(told.filter(({ kind }) => kind === 'error')).toEqual([]);
  });

  it('gives its start up if there is no other session in time', async () => {
    besides = () => center.unplug();

    await expect(clock.advanceUntil(runtime.start())).rejects.toThrow(SessionLostError);
    expect(runtime.status().phase).toBe('stopped');
  });
});

it('a process that is to run nothing joins no job of its templates', async () => {
  const own = connect();
  const idle = new ElasticJobRuntime({ registry: own, clock, processing: false });
  const { configuration, handler } = job();
  idle.templates.declare({ name: 'report', configuration, handler, place: 'spec' });
  await clock.advanceUntil(idle.start());

  await clock.advanceUntil(own.create('/a', createdRoot('report'), 'PERSISTENT'));
  await clock.advance(5 * SECOND);

  expect(await clock.advanceUntil(own.children('/a'))).toEqual([]);
  await clock.advanceUntil(idle.stop());
});

describe('a process that has lost its session', () => {
  it('joins its job once the registry no longer refuses instances', async () => {
    await start();
    const former = instanceId();
    const mend = refuseInstances();
    registry.expire(center.session.id!);
    await clock.advance(2 * SECOND);
    const failures = told.filter(({ kind }) => kind === 'error');
    expect(failures[0]).toMatchObject({ jobName: JOB, message: 'rejoining failed; trying again' });
    expect(failures.length).toBeLessThan(5);

    mend();
    await clock.advance(5 * SECOND);

    expect(runtime.status()).toMatchObject({ jobs: [{ isJoined: true }], resting: undefined });
    expect(instanceId()).not.toBe(former);
    expect(await instances()).toEqual([instanceId()]);
  });

  it('joins only under its last id if it loses another session as it joins anew', async () => {
    await start();
    const mend = refuseInstances();
    registry.expire(center.session.id!);
    await clock.advance(SECOND);
    registry.expire(center.session.id!);
    await clock.advance(SECOND);
    mend();
    await clock.advance(5 * SECOND);
    expect(await instances()).toEqual([`10.0.0.1@-@1-${center.session.id}`]);
  });

  describe('and more jobs than it joins at once', () => {
    const NAMES = Array.from({ length: 60 }, (_, n) => `job-${n}`);
    const LAST = NAMES.at(-1)!;

    /** Loses the session, and calls back once the first job has joined again, while the last one waits for its turn. */
    async function rejoin(onFirst: () => void): Promise<void> {
      for (const name of NAMES) await runtime.registrar.register(job({ name }));
      await clock.advanceUntil(runtime.start());
      const off = runtime.events.on(({ kind }) => {
        if (kind !== 'joined') return;
        off();
        onFirst();
      });
      registry.expire(center.session.id!);
      await clock.advance(20 * SECOND);
    }

    it('joins those that wait for their turn only under its last id if it loses another session', async () => {
      await rejoin(() => registry.expire(center.session.id!));

      const last = `10.0.0.1@-@1-${center.session.id}`;
      const lastJoins = NAMES.map((name) => told.findLast((one) => one.kind === 'joined' && one.jobName === name));
      expect(lastJoins).toMatchObject(NAMES.map(() => ({ instanceId: last })));
      expect(await clock.advanceUntil(center.children(`/${LAST}/instances`))).toEqual([last]);
    });

    it('joins each once if it loses the session while it starts, and runs all their items', async () => {
      const runs: string[] = [];
      for (const name of NAMES) {
        const given = job({ name, cron: '0/5 * * * * ?', shardingTotalCount: 2 });
        const handler = ({ shardingItem }: ShardingContext) => void runs.push(`${name} ${shardingItem}`);
        await runtime.registrar.register({ ...given, handler });
      }
      const off = runtime.events.on(({ kind }) => {
        if (kind !== 'joined') return;
        off();
        registry.expire(center.session.id!);
      });
      await clock.advanceUntil(runtime.start());
      await clock.advance(20 * SECOND);

      expect(await clock.advanceUntil(center.children(`/${LAST}/instances`))).toEqual([
        `10.0.0.1@-@1-${center.session.id}`,
      ]);
      expect(new Set(runs)).toEqual(new Set(NAMES.flatMap((name) => [`${name} 0`, `${name} 1`])));
    });

    it('reports no failure of one that is removed while it waits for its turn', async () => {
      let removing: Promise<void> | undefined;
      await rejoin(() => (removing = runtime.registrar.remove(LAST)));
      await clock.advanceUntil(removing!);

      expect(told.filter(({ kind }) => kind === 'error')).toEqual([]);
    });
  });

  it('reports no failure if it is stopped while it waits to rejoin', async () => {
    await start();
    runtime.events.on((event) => {
      if (event.kind === 'session' && event.state === 'RECONNECTED') registry.cut(center.session.id!, 'replies');
    });
    registry.expire(center.session.id!);
    await clock.advance(6 * SECOND);
    await clock.advanceUntil(runtime.stop());
    expect(told.filter((event) => event.kind === 'error' && event.jobName === JOB)).toEqual([]);
  });
});

describe('what a process tells', () => {
  it('includes the warnings of its registry', async () => {
    let warn: ((message: string) => void) | undefined;
    center.onWarning = (listener?: (message: string) => void) => {
      warn = listener;
      return () => {};
    };
    await start();
    warn!('the clock of the ensemble was set');
    expect(told).toContainEqual({
      kind: 'warning',
      jobName: undefined,
      message: 'the clock of the ensemble was set',
    });
  });

  it('includes a job that does not start since its parent has failed', async () => {
    const handler = () => Promise.reject(new Error('no'));
    await runtime.registrar.register({ ...job({ name: 'import', cron: '0/5 * * * * ?' }), handler });
    await runtime.registrar.register(job({ cron: undefined, after: ['import'] }));
    await clock.advanceUntil(runtime.start());
    await clock.advance(5 * SECOND);
    expect(told.filter(({ kind }) => kind === 'dependency-not-met')).toMatchObject([
      { jobName: JOB, parent: 'import', reason: 'failed' },
    ]);
  });

  it('includes nothing twice after it is started again', async () => {
    await start();
    await clock.advanceUntil(runtime.start());
    registry.expire(center.session.id!);
    await clock.advance(5 * SECOND);
    const states = told.flatMap((event) => (event.kind === 'session' ? [event.state] : []));
    expect(states.filter((state) => state === 'LOST')).toHaveLength(1);
    expect([joined().length, runtime.status().phase]).toEqual([2, 'running']);
  });

  it('includes how long its new session has lasted after one was lost', async () => {
    await start();
    await clock.advance(60 * SECOND);
    registry.expire(center.session.id!);
    await clock.advance(SECOND);
    const { sessionForMs } = runtime.status();
    expect(sessionForMs).toBeLessThanOrEqual(SECOND);
    await clock.advance(5 * SECOND);
    expect(runtime.status().sessionForMs).toBe(sessionForMs + 5 * SECOND);
  });

  it('includes threads that do not end, and it stops all the same', async () => {
    await start();
    await clock.advanceUntil(runtime.stop());
    expect(runtime.status().phase).toBe('stopped');
    expect(told.at(-1)).toMatchObject({ kind: 'error', message: 'stopping the worker pool failed' });
  });

  it('includes its session alone if it runs no job, even if one is added', async () => {
    const observer = new ElasticJobRuntime({ registry: center, clock, processing: false });
    observer.events.on((event) => void told.push(event));
    const serverTime = vi.spyOn(center, 'serverTime');
    await clock.advanceUntil(observer.start());
    await clock.advanceUntil(observer.registrar.register(job()));
    expect(told).toEqual([
      { kind: 'session', state: 'CONNECTED', sessionId: center.session.id, timeoutMs: expect.any(Number) },
    ]);
    expect(observer.status()).toMatchObject({ phase: 'running', jobs: [] });
    expect(serverTime).not.toHaveBeenCalled();
    await clock.advanceUntil(observer.stop());
  });
});

describe('settings that change', () => {
  it('apply to the threads of an isolated job from the next run on', async () => {
    await runtime.registrar.register(job({ name: 'other' }));
    await start({ cron: '0/5 * * * * ?', isolation: 'worker-thread', workerModule: 'file:///work.js' });
    await clock.advance(5 * SECOND);
    await clock.advanceUntil(runtime.registrar.change(JOB, { onHung: 'terminate' }));
    await clock.advance(5 * SECOND);
    expect(endAfterMs).toEqual([undefined, 30 * SECOND]);
  });

  it('are refused with the reason if props have a fault', async () => {
    const findPropsFaults = ({ uri }: Readonly<Record<string, string>>) =>
      uri === undefined ? ['uri is missing'] : [];
    await runtime.registrar.register({ ...job({ props: { uri: 'http://a' } }), findPropsFaults });
    const { configuration } = job();
    expect(() => runtime.assertEditable(configuration, {})).toThrow(`job "${JOB}": uri is missing`);
    runtime.assertEditable({ ...configuration, props: { uri: 'http://b' } }, {});
  });
});

function connect(): MemoryRegistryCenter {
  return registry.center({ namespace: 'test', clock, sessionTimeoutMs: 10 * SECOND, requestTimeoutMs: 5 * SECOND });
}

function job(options: Partial<JobOptions> = {}): JobDefinition {
  const given = { name: JOB, cron: '0 * * * * ?', shardingTotalCount: 1, ...options };
  const configuration = resolveJobOptions(given, { place: 'spec' });
  return { configuration, className: configuration.jobName, place: 'spec', handler: () => {} };
}

async function start(options?: Partial<JobOptions>): Promise<void> {
  await runtime.registrar.register(job(options));
  await clock.advanceUntil(runtime.start());
}

/** The registry refuses every instance. @returns a function that ends that */
function refuseInstances(): () => void {
  return registry.fail(({ kind, path }) => (kind === 'create' && path.includes('/instances/') ? NO_RIGHT : undefined));
}

function joined(): readonly string[] {
  return told.flatMap((event) => (event.kind === 'joined' ? [event.instanceId] : []));
}

function instanceId(): string {
  return joined().at(-1)!;
}

/** Registered instances. */
async function instances(): Promise<readonly string[]> {
  return center.children(`/${JOB}/instances`);
}
