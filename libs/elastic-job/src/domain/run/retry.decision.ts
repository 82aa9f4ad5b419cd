import { executorDeathIn, type ShardOutcome } from './shard-outcome.js';
import { ConfigurationError } from '../errors.js';
import { FencedError, LeaseLostError } from './lease.errors.js';
import { failsOver, type JobConfiguration } from '../options/index.js';

/** Settings of retries. @see JobOptions */
type RetryPolicy = Pick<
  JobConfiguration,
  'maxAttempts' | 'retryDelayMs' | 'retryFactor' | 'retryMaxDelayMs' | 'retryJitter'
>;

/** Facts that decide on a retry, besides the outcome. */
export interface RetryState {
  readonly configuration: RetryPolicy & Parameters<typeof failsOver>[0];
  /** The attempt that has ended, counted from 1. */
  readonly attempt: number;
  /** Time left of the item's `timeoutMs`, in milliseconds; infinite without one. */
  readonly leftMs: number;
  /** A number in [0, 1). Called only if it is needed. */
  random(): number;
}

/**
 * Pause before an item is tried again, in milliseconds; undefined if its outcome stands. It stands
 * - if the item succeeded or was aborted;
 * - after the last attempt, or if the next one could not begin within the item's time;
 * - for a lost lease, a fence and a wrong setting, which a retry cannot mend;
 * - if its executor has died and failover runs it again, or the executor may still run.
 */
export function decideRetry(outcome: ShardOutcome, state: RetryState): number | undefined {
  const { attempt, configuration, leftMs } = state;
  if (outcome.kind !== 'failed' || attempt >= configuration.maxAttempts || isFinal(outcome.error)) return undefined;
  const death = executorDeathIn(outcome);
  if (death === 'UNREACHABLE' || (death !== undefined && failsOver(configuration))) return undefined;
  const delayMs = retryDelayMs(configuration, attempt, state.random());
  return delayMs < leftMs ? delayMs : undefined;
}

/**
 * Pause after an attempt, in milliseconds: exponential, at most `retryMaxDelayMs`. The share `retryJitter` of it is
 * random, so that items that failed together do not come back together.
 * @param random a number in [0, 1)
 */
export function retryDelayMs(policy: RetryPolicy, attempt: number, random: number): number {
  const { retryDelayMs: first, retryFactor, retryMaxDelayMs, retryJitter } = policy;
  const full = Math.min(first * retryFactor ** (attempt - 1), retryMaxDelayMs);
  return Math.round(full * (1 - retryJitter * random));
}

function isFinal(error: unknown): boolean {
  return error instanceof LeaseLostError || error instanceof FencedError || error instanceof ConfigurationError;
}
