import { executorDeathIn } from './executor-death.error.js';
import { ConfigurationError } from '../errors.js';
import { FencedError, LeaseLostError } from './lease.errors.js';
import { failsOver, type JobConfiguration } from '../options/index.js';
import type { ShardOutcome } from './shard-outcome.js';

/** How a failed item is tried again. @see JobOptions */
type RetryPolicy = Pick<
  JobConfiguration,
  'maxAttempts' | 'retryDelayMs' | 'retryFactor' | 'retryMaxDelayMs' | 'retryJitter'
>;

/** What a retry depends on, beside the outcome. */
export interface RetryState {
  readonly configuration: RetryPolicy & Parameters<typeof failsOver>[0];
  /** The attempt that has ended, counted from 1. */
  readonly attempt: number;
  /** What is left of the item's `timeoutMs`, in milliseconds; infinite without. */
  readonly leftMs: number;
  /** A number in [0, 1). Asked only if it counts. */
  random(): number;
}

/**
 * How long to wait before an item is tried again, in milliseconds; undefined: its outcome stands. So it does if it
 * succeeded or was aborted; after the last attempt; if the next one could not begin within the item's time; for a lost
 * lease, a fence and a wrong setting, which no repetition mends; and if its executor has died and failover is to run it
 * again, or it may run still.
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
 * The pause after an attempt: exponential, at most `retryMaxDelayMs`, of which the share `retryJitter` is left to
 * chance, so that items that failed together do not come back together. In milliseconds.
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
