import { aClock } from '../../clock/index.js';
import { aboveZero, type OptionRow, OptionTable, rule, text } from '../../domain/index.js';
import type { MemoryRegistryCenterOptions } from './memory-registry-center.js';

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
