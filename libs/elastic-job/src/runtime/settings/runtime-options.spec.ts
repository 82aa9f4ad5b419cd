import { expect, it } from 'vitest';
import { MemoryRegistry } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import { resolveRuntimeOptions, type RuntimeOptions } from './runtime-options.js';

const clock = new VirtualClock();
const registry = new MemoryRegistry(clock).center({
  namespace: 'test',
  clock,
  sessionTimeoutMs: 10_000,
  requestTimeoutMs: 5_000,
});

const DEFAULTS = {
  processing: true,
  drainTimeoutMs: 30_000,
  connectionTimeoutMs: 9_000,
  tokenEpoch: 0,
  reshardDelayMs: 100,
  javaReconnectGraceMs: 1_000,
  clockToleranceMs: 10_000,
  hungGraceMs: 30_000,
  lateAfterMs: 5_000,
  errorWindowMs: 300_000,
  allowRegistryTargets: {},
  fences: [],
  listeners: [],
  errorHandlers: [],
  tracer: undefined,
};

it('applies the documented defaults if only a registry and a clock are set', () => {
  expect(resolveRuntimeOptions({ registry, clock })).toEqual({ registry, clock, ...DEFAULTS });
});

it('applies each option that is set, even zero and false', () => {
  const given: Partial<RuntimeOptions> = {
    processing: false,
    drainTimeoutMs: 0,
    connectionTimeoutMs: 1,
    tokenEpoch: 2,
    reshardDelayMs: 3,
    javaReconnectGraceMs: 4,
    clockToleranceMs: 5,
    hungGraceMs: 6,
    lateAfterMs: 0,
    errorWindowMs: 7,
    allowRegistryTargets: { commands: ['/opt/jobs/run.sh'] },
    fences: [],
    listeners: [{ beforeJobExecuted: () => {}, afterJobExecuted: () => {} }],
  };
  expect(resolveRuntimeOptions({ registry, clock, ...given })).toMatchObject(given);
});
