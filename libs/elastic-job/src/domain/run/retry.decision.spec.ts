import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../errors.js';
import { ExecutorDeathError, type ShardOutcome } from './shard-outcome.js';
import { FencedError, JobTimeoutError, LeaseLostError } from './lease.errors.js';
import { decideRetry, retryDelayMs, type RetryState } from './retry.decision.js';

const POLICY = { maxAttempts: 4, retryDelayMs: 100, retryFactor: 3, retryMaxDelayMs: 500, retryJitter: 0.5 };
const STATE: RetryState = {
  configuration: { ...POLICY, failover: false, monitorExecution: true, resident: false },
  attempt: 1,
  leftMs: Infinity,
  random: () => 0,
};
const failing = (error: unknown): ShardOutcome => ({ kind: 'failed', error });

describe('retryDelayMs', () => {
  it('lengthens each pause by the factor, up to the limit', () => {
    expect([1, 2, 3, 4, 2_000].map((attempt) => retryDelayMs(POLICY, attempt, 0))).toEqual([100, 300, 500, 500, 500]);
  });

  it.each([
    [0, 0.99, 300],
    [0.5, 0, 300],
    [0.5, 0.5, 225],
    [0.5, 0.999_999, 150],
    [1, 0.999_999, 0],
  ])('turns the jitter %d and the random number %d into a pause of %d ms', (jitter, random, ms) => {
    expect(retryDelayMs({ ...POLICY, retryJitter: jitter }, 2, random)).toBe(ms);
  });
});

describe('decideRetry', () => {
  it.each<[string, ShardOutcome, Partial<RetryState>, number | undefined]>([
    ['a failure', failing(new Error('down')), {}, 100],
    ['a failure of the last attempt but one', failing('down'), { attempt: 3 }, 500],
    ['a failure of the last attempt', failing('down'), { attempt: 4 }, undefined],
    ['a failure with just enough time left', failing('down'), { leftMs: 101 }, 100],
    ['a failure with too little time left', failing('down'), { leftMs: 100 }, undefined],
    ['a time that is over', failing(new JobTimeoutError('j', 0, 5)), { leftMs: 0 }, undefined],
    ['success', { kind: 'succeeded' }, {}, undefined],
    ['an abort', { kind: 'aborted', reason: 'drain' }, {}, undefined],
    ['a lost lease', failing(new LeaseLostError('j', 0)), {}, undefined],
    ['a fence', failing(new FencedError('j', 0, 1n)), {}, undefined],
    ['a wrong setting', failing(new ConfigurationError('job "j"', ['x'])), {}, undefined],
    ['a dead executor', failing(new ExecutorDeathError('KILLED', 'SIGKILL')), {}, 100],
    ['an executor that may live', failing(new ExecutorDeathError('UNREACHABLE', 'silent')), {}, undefined],
    [
      'a dead executor that failover takes care of',
      failing(new ExecutorDeathError('KILLED', 'SIGKILL')),
      { configuration: { ...STATE.configuration, failover: true } },
      undefined,
    ],
  ])('decides whether to retry after %s, and the pause: $3', (_, outcome, state, delayMs) => {
    expect(decideRetry(outcome, { ...STATE, ...state })).toBe(delayMs);
  });
});
