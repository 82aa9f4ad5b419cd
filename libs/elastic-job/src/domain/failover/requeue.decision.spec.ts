import { describe, expect, it } from 'vitest';
import {
  CancelledError,
  DrainDeadlineError,
  ExecutorDeathError,
  type ExecutorDeathState,
  HandedOverError,
  HandlerHungError,
  JobTimeoutError,
  type ShardOutcome,
} from '../run/index.js';
import { decideRequeue, type RequeueState } from './requeue.decision.js';

const STATE: RequeueState = {
  source: 'NORMAL_TRIGGER',
  isFailoverOn: true,
  isCancelled: false,
  executorDeaths: 0,
  maxExecutorFailovers: 3,
  isQueueFull: false,
};
const CANCELLED = new CancelledError('j', 0);
const DRAINED = new DrainDeadlineError('j', 1);
const ABORTED: ShardOutcome = { kind: 'aborted', reason: DRAINED };

describe('what becomes of an item that is not done', () => {
  it.each<[string, ShardOutcome, string]>([
    ['that succeeded', { kind: 'succeeded' }, 'none'],
    ['whose handler threw', { kind: 'failed', error: new Error('no such order') }, 'none'],
    ['that was aborted', ABORTED, 'queue'],
    ['whose executor failed', died('FAILED'), 'queue'],
    ['whose executor could not start', died('ERROR'), 'queue'],
    ['whose executor was killed', died('KILLED'), 'queue'],
    ['whose executor is lost', died('LOST'), 'queue'],
    ['whose executor is gone', died('GONE'), 'queue'],
    ['whose executor may run still', died('UNREACHABLE'), 'hold'],
  ])('is $2 with failover after a run %s', (_, outcome, requeue) => {
    expect(decideRequeue(outcome, STATE)).toBe(requeue);
  });

  it.each<[string, ShardOutcome, string, string]>([
    ['ran too long', { kind: 'failed', error: new JobTimeoutError('j', 0, 1) }, 'none', 'none'],
    ['was aborted as its instance left', ABORTED, 'queue', 'queue'],
    ['was cancelled', { kind: 'aborted', reason: CANCELLED }, 'none', 'none'],
    ['hung', hung(DRAINED), 'queue', 'none'],
  ])('is $2 after a run that %s, and $3 if that run was a failover', (_, outcome, first, rescue) => {
    expect(decideRequeue(outcome, STATE)).toBe(first);
    expect(decideRequeue(outcome, { ...STATE, source: 'FAILOVER' })).toBe(rescue);
  });

  it.each<[string, ShardOutcome, string]>([
    ['hung', hung(CANCELLED), 'none'],
    ['had outlived its time limit before, and hung', hung(new JobTimeoutError('j', 0, 1)), 'none'],
    ['was aborted before as its instance left', ABORTED, 'none'],
    ['has an executor that may run still', died('UNREACHABLE'), 'hold'],
    ['has a task that goes on elsewhere', { kind: 'aborted', reason: new HandedOverError('j', 'moved') }, 'queue'],
  ])('is $2 after a cancelled run that %s', (_, outcome, requeue) => {
    expect(decideRequeue(outcome, { ...STATE, isCancelled: true })).toBe(requeue);
  });

  it('is none without failover, but a run that may still go on keeps its mark', () => {
    const state = { ...STATE, isFailoverOn: false };
    expect([ABORTED, died('KILLED'), died('UNREACHABLE')].map((outcome) => decideRequeue(outcome, state))).toEqual([
      'none',
      'none',
      'hold',
    ]);
  });

  it('is overflow if the queue is full', () => {
    const state = { ...STATE, isQueueFull: true };
    expect([ABORTED, died('LOST')].map((outcome) => decideRequeue(outcome, state))).toEqual(['overflow', 'overflow']);
  });

  it('is the queue for a task that was handed over, also without failover or a free place', () => {
    const handedOver: ShardOutcome = { kind: 'aborted', reason: new HandedOverError('j', 'moved') };
    expect(decideRequeue(handedOver, { ...STATE, isFailoverOn: false, isQueueFull: true })).toBe('queue');
  });

  it.each<[ExecutorDeathState, string]>([
    ['FAILED', 'exhausted'],
    ['ERROR', 'exhausted'],
    ['KILLED', 'exhausted'],
    ['LOST', 'queue'],
    ['DROPPED', 'queue'],
    ['GONE', 'queue'],
    ['GONE_BY_OPERATOR', 'queue'],
    ['UNKNOWN', 'queue'],
    ['UNREACHABLE', 'hold'],
  ])("is decided by the executor's state %s at the last death that counts: %s", (state, requeue) => {
    expect(decideRequeue(died(state), { ...STATE, executorDeaths: 3 })).toBe(requeue);
    const spared = new ExecutorDeathError(state, 'evicted', { isInnocent: true });
    const spare = decideRequeue({ kind: 'failed', error: spared }, { ...STATE, executorDeaths: 3 });
    expect(spare).toBe(state === 'UNREACHABLE' ? 'hold' : 'queue');
  });

  it.each([
    [2, 'queue'],
    [3, 'exhausted'],
  ])('is decided after %i deaths if the executor dies again: %s', (executorDeaths, requeue) => {
    expect(decideRequeue(died('FAILED'), { ...STATE, executorDeaths })).toBe(requeue);
    expect(decideRequeue(ABORTED, { ...STATE, executorDeaths })).toBe('queue');
  });

  function hung(cause: unknown): ShardOutcome {
    return { kind: 'aborted', reason: new HandlerHungError('j', 0, 1, { cause }) };
  }

  function died(state: ExecutorDeathState): ShardOutcome {
    return { kind: 'failed', error: new ExecutorDeathError(state, 'spec') };
  }
});
