import { expect, it } from 'vitest';
import {
  DistributeOnceElasticJobListener,
  distributesOnce,
  type ElasticJobListener,
  findUnshareableListeners,
  listenersOf,
  readListener,
  type RunBarrier,
  type ShardingContexts,
} from './listener.js';

const plain = { beforeJobExecuted() {}, afterJobExecuted() {} };
const ofAnotherCopy = { ...plain, doBeforeJobExecutedAtLastStarted() {}, doAfterJobExecutedAtLastCompleted() {} };

class Once extends DistributeOnceElasticJobListener {
  override doBeforeJobExecutedAtLastStarted() {}
  override doAfterJobExecutedAtLastCompleted() {}
}

it('tells which listeners distribute once, also for those of another copy of the package', () => {
  const half = { ...plain, doBeforeJobExecutedAtLastStarted() {} };
  expect([plain, half, ofAnotherCopy, new Once()].map(distributesOnce)).toEqual([false, false, true, true]);
});

it.each([
  ['its class', new Once(), 'Once'],
  ['its type', { ...plain, type: 'audit' }, 'audit'],
  ['no name if it is an object without a type', { ...plain }, 'a listener'],
  ['no name if its class has none', new (class extends Once {})(), 'a listener'],
  ['no name if it has neither, as an imported module', Object.assign(Object.create(null), plain), 'a listener'],
])('has %s in messages', (_, listener: ElasticJobListener, name) => {
  expect(readListener(listener).name).toBe(name);
});

it('calls its method once all have come, by the barrier, with the time that it may wait', async () => {
  const called: unknown[] = [];
  class Report extends DistributeOnceElasticJobListener {
    override doBeforeJobExecutedAtLastStarted({ jobName }: ShardingContexts) {
      called.push(`${jobName} started`);
    }
    override doAfterJobExecutedAtLastCompleted({ jobName }: ShardingContexts) {
      called.push(`${jobName} completed`);
    }
  }
  const contexts: ShardingContexts = Object.assign(Object.create(null), { jobName: 'settle' });
  const barrier: RunBarrier = {
    meet: async (phase, timeoutMs, atLast) => {
      called.push([phase, timeoutMs]);
      await atLast();
    },
  };

  for (const listener of [new Report(), new Report(5, 7)]) {
    await listener.beforeJobExecuted(contexts, barrier);
    await listener.afterJobExecuted(contexts, barrier);
  }

  expect(called).toEqual([
    ['started', 60_000],
    'settle started',
    ['completed', 60_000],
    'settle completed',
    ['started', 5],
    'settle started',
    ['completed', 7],
    'settle completed',
  ]);
});

it('is called for a job that names its type, or for every job if it has none', () => {
  const [any, audit, report] = [plain, { ...plain, type: 'audit' }, { ...plain, type: 'report' }].map(readListener);

  expect(listenersOf({ jobListenerTypes: ['audit'] }, [any!, audit!, report!])).toEqual([any, audit]);
  expect(listenersOf({ jobListenerTypes: [] }, [audit!])).toEqual([]);
});

it('accepts distribute-once listeners whose types Java reads, and no listeners at all', () => {
  expect(findUnshareableListeners([{ type: 'once' }, { type: 'all' }], ['other', 'all', 'once'])).toEqual([]);
  expect(findUnshareableListeners([], [])).toEqual([]);
});

it('names each distribute-once listener whose type Java does not read, with the way to go', () => {
  expect(findUnshareableListeners([{ type: 'all' }, { type: 'once' }], ['all', 'other'])).toEqual([
    'jobListenerTypes lacks "once" where Java reads it, so Java peers do not call this distribute-once listener; ' +
      'start once with overwrite: true, or add it to the list in the config node, and then restart the Java peers',
  ]);
});

it('names a distribute-once listener without a type, which Java cannot find', () => {
  expect(findUnshareableListeners([{}], ['other', ''])).toEqual([expect.stringContaining('has no type by which Java')]);
});
