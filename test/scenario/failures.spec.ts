import { afterEach, describe, expect, it } from 'vitest';
import {
  ConfigurationError,
  type JobErrorHandler,
  type JobOptions,
  type ShardingContext,
} from '../../libs/elastic-job/src/index.js';
import type { FailureReport } from '../../libs/elastic-job/src/entries/error-handlers.js';
import { createTestCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';

const JOB = 'settle-orders';
const MINUTE_MS = 60_000;

class Pager implements JobErrorHandler {
  readonly type = 'PAGER';
  readonly reports: FailureReport[] = [];

  findFaults({ number }: Readonly<Record<string, string>>): readonly string[] {
    return number === undefined ? ['number must be given'] : [];
  }

  handle(report: FailureReport): void {
    this.reports.push(report);
  }
}

let cluster: TestCluster | undefined;
let pager: Pager;
afterEach(async () => {
  await cluster?.stop();
  cluster = undefined;
});

async function start(options: Partial<JobOptions>, handler: (context: ShardingContext) => unknown) {
  pager = new Pager();
  cluster = await createTestCluster({
    instances: 1,
    errorHandlers: [pager],
    jobs: [{ name: JOB, cron: '0 * * * * ?', shardingTotalCount: 2, ...options, handler }],
  });
  return cluster;
}

function failing({ attempt, shardingItem }: ShardingContext): never {
  throw new Error(`attempt ${attempt} of item ${shardingItem} failed`);
}

const eventsOf = (kind: string) => cluster!.events(0).filter((event) => event.kind === kind);

describe('an item that fails', () => {
  it('succeeds if a retry succeeds, and an event reports the failed attempt', async () => {
    const started = await start(
      { maxAttempts: 3, retryJitter: 0 },
      (context) => context.attempt === 1 && failing(context),
    );
    await started.advance(MINUTE_MS);
    expect(started.runs(JOB)).toHaveLength(4);
    expect(eventsOf('retrying')).toMatchObject([
      { item: 0, attempt: 2, delayMs: 1_000, error: { message: 'attempt 1 of item 0 failed' } },
      { item: 1, attempt: 2 },
    ]);
    expect(eventsOf('settled')).toMatchObject([{ outcome: { kind: 'succeeded' } }, { outcome: { kind: 'succeeded' } }]);
    expect(eventsOf('error')).toEqual([]);
  });

  it('fails over if the drain of its instance ends before the next attempt', async () => {
    pager = new Pager();
    cluster = await createTestCluster({
      instances: 2,
      drainTimeoutMs: 1_000,
      jobs: [
        {
          name: JOB,
          cron: '0 * * * * ?',
          shardingTotalCount: 2,
          failover: true,
          maxAttempts: 2,
          retryDelayMs: 20_000,
          retryJitter: 0,
          handler: (context) => context.shardingItem === 1 && context.source !== 'FAILOVER' && failing(context),
        },
      ],
    });
    const owner = cluster.assignment(JOB).get(1)!;
    await cluster.advance(MINUTE_MS - 1_000 + 5);
    await cluster.leave(owner);
    await cluster.advance(2_000);
    const ofItem1 = cluster.runs(JOB).filter(({ item }) => item === 1);
    expect(ofItem1.map(({ instance, source }) => [instance, source])).toEqual([
      [owner, 'NORMAL_TRIGGER'],
      [1 - owner, 'FAILOVER'],
    ]);
  });

  it("tells the user's error handler the last failure of each kind once all attempts have failed", async () => {
    const started = await start(
      { maxAttempts: 2, retryJitter: 0, jobErrorHandlerType: 'pager', props: { number: '1' } },
      failing,
    );
    await started.advance(MINUTE_MS);
    expect(pager.reports).toMatchObject([
      { jobName: JOB, item: 0, source: 'NORMAL_TRIGGER', count: 1, error: { message: 'attempt 2 of item 0 failed' } },
    ]);
    await started.advance(5 * MINUTE_MS);
    // The first failure of item 1, and the failures of both items in the four minutes within the window.
    expect(pager.reports.map(({ count }) => count)).toEqual([1, 9]);
  });

  it('tells held-back failures before the process shuts down', async () => {
    const started = await start({ jobErrorHandlerType: 'PAGER', props: { number: '1' } }, failing);
    await started.advance(MINUTE_MS);
    expect(pager.reports).toHaveLength(1);
    await started.leave(0);
    expect(pager.reports.map(({ count }) => count)).toEqual([1, 1]);
  });

  it.each<[string | undefined, number]>([
    [undefined, 2],
    ['IGNORE', 0],
    ['THROW', 1],
  ])('with the error handler %s, two failed items of a run give %d errors', async (type, count) => {
    const started = await start({ jobErrorHandlerType: type }, failing);
    await started.advance(MINUTE_MS);
    expect(eventsOf('error')).toHaveLength(count);
    expect(eventsOf('settled')).toMatchObject([{ outcome: { kind: 'failed' } }, { outcome: { kind: 'failed' } }]);
  });

  it('with THROW, a run of two failed items fails with both errors', async () => {
    const started = await start({ jobErrorHandlerType: 'THROW' }, failing);
    await started.advance(MINUTE_MS);
    expect(eventsOf('error')).toMatchObject([
      {
        message: 'the run of items 0,1 failed',
        error: { errors: [{ message: 'attempt 1 of item 0 failed' }, { message: 'attempt 1 of item 1 failed' }] },
      },
    ]);
    await started.advance(MINUTE_MS);
    expect(eventsOf('error')).toHaveLength(2);
  });
});

describe('an error handler that cannot work', () => {
  it.each<[Partial<JobOptions>, string]>([
    [{ jobErrorHandlerType: 'PAGER' }, 'props: number must be given, for jobErrorHandlerType "PAGER"'],
    [{ jobErrorHandlerType: 'PIGEON' }, 'jobErrorHandlerType "PIGEON" is no error handler of this process'],
  ])('stops the start if it is %j, and the error names job and property', async (options, fault) => {
    const starting = start(options, failing);
    await expect(starting).rejects.toThrow(ConfigurationError);
    await expect(starting).rejects.toThrow(`job "${JOB}" (createTestCluster): ${fault}`);
  });

  it('refuses a change to one that cannot work, and changes nothing', async () => {
    const { instances } = await start({}, failing);
    const { registrar } = instances[0]!.runtime;
    await expect(registrar.change(JOB, { jobErrorHandlerType: 'PIGEON' })).rejects.toThrow(
      /jobErrorHandlerType "PIGEON"/,
    );
    expect(registrar.jobs[0]!.configuration.jobErrorHandlerType).toBeUndefined();
  });

  it('writes the failure and the problem to the log if an operator has broken its props', async () => {
    const started = await start({ jobErrorHandlerType: 'PAGER', props: { number: '1' } }, failing);
    const { center, runtime } = started.instances[0]!;
    const { config } = runtime.registrar.of(JOB).currentSession!.tree.paths;
    const { data } = (await started.clock.advanceUntil(center.read(config)))!;
    await started.clock.advanceUntil(center.set(config, data.replace(/^ *number: .*\n/m, '')));
    await started.advance(MINUTE_MS);
    expect(pager.reports).toEqual([]);
    expect(eventsOf('error')).toMatchObject([{ message: 'item 0 failed' }, { message: 'item 1 failed' }]);
    expect(eventsOf('error-handler-failed')).toMatchObject([{ type: 'PAGER', error: { code: 'CONFIGURATION' } }, {}]);
  });
});
