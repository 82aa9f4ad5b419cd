import { having, number, type OptionRow, OptionTable, rule, text } from '../../domain/index.js';
import type { MemoryRegistryCenterOptions } from './memory-registry-center.js';

const above0 = number(Number.MIN_VALUE, Number.MAX_VALUE);
const latency = rule('milliseconds from 0, or a function that draws them', isLatency);
/** Options of `MemoryRegistry.center`. */
export const CENTER_TABLE = new OptionTable(
  {
    namespace: { required: true, rule: text() },
    clock: { required: true, rule: having('a Clock', 'wallNow', 'monotonicNow', 'setTimer') },
    sessionTimeoutMs: { required: true, rule: above0 },
    requestTimeoutMs: { required: true, rule: above0 },
    maxRequestBytes: { rule: above0 },
    latencyMs: { rule: latency },
    newsLagMs: { rule: latency },
  } satisfies Readonly<Record<keyof MemoryRegistryCenterOptions, OptionRow>>,
  'MemoryRegistry.center',
);

function isLatency(value: unknown): boolean {
  return typeof value === 'function' || (Number.isFinite(value) && Number(value) >= 0);
}
