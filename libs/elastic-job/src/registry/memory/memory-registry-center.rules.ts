import { aClock, type Clock } from '../../clock/index.js';
import { aboveZero, type OptionRow, OptionTable, rule, text } from '../../domain/index.js';
import type { Latency } from './memory-link.js';

/** How a client of a memory registry behaves. */
export interface MemoryRegistryCenterOptions {
  readonly namespace: string;
  /** The client's own clock; it may differ from the server's. */
  readonly clock: Clock;
  /** Milliseconds for which the server keeps the session of a client that it does not hear. */
  readonly sessionTimeoutMs: number;
  /** Longest wait for an answer, in milliseconds, for requests that set no limit. */
  readonly requestTimeoutMs: number;
  /** @default 1_000_000 */
  readonly maxRequestBytes?: number;
  /**
   * Milliseconds from a request to its answer; a function draws it for each message. 0 means one microtask each way:
   * the fastest, but a loop that awaits only requests keeps timers and sockets waiting.
   * @default 0
   */
  readonly latencyMs?: Latency;
  /**
   * Milliseconds by which news of other clients' writes come late, as from a follower that lags behind; a function
   * draws it for each commit. An answer comes after all news that precede it, which is the purpose of a sync.
   * @default 0
   */
  readonly newsLagMs?: Latency;
}

const latency = rule('milliseconds from 0, or a function that draws them', isLatency);

/** Options of `MemoryRegistry.center`. */
export const CENTER_TABLE = new OptionTable(
  {
    namespace: { required: true, rule: text() },
    clock: { required: true, rule: aClock },
    sessionTimeoutMs: { required: true, rule: aboveZero() },
    requestTimeoutMs: { required: true, rule: aboveZero() },
    maxRequestBytes: { rule: aboveZero() },
    latencyMs: { rule: latency },
    newsLagMs: { rule: latency },
  } satisfies Readonly<Record<keyof MemoryRegistryCenterOptions, OptionRow>>,
  'MemoryRegistry.center',
);

function isLatency(value: unknown): boolean {
  return typeof value === 'function' || (Number.isFinite(value) && Number(value) >= 0);
}
