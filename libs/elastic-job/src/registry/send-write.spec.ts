import { expect, it } from 'vitest';
import { VirtualClock } from '../testing/index.js';
import type { RequestOptions } from './request-options.js';
import { RegistryUnavailableError } from './registry.errors.js';
import { sendWrite, type WritableEnsemble } from './send-write.js';

it('asks for the fate of a lost write only as long as the write itself might have taken', async () => {
  const clock = new VirtualClock();
  const lost = new RegistryUnavailableError('set /a', 'unknown', 'the connection broke');
  const limits: (number | undefined)[] = [];
  const answerIn = async (ms: number, options?: RequestOptions) => {
    limits.push(options?.timeoutMs);
    await clock.sleep(ms);
  };
  const ensemble: WritableEnsemble = {
    lastZxid: 7n,
    requestTimeoutMs: 10_000,
    session: { id: '1', state: 'CONNECTED', timeoutMs: 30_000 },
    transaction: () => answerIn(1_000).then(() => Promise.reject(lost)),
    sync: (options) => answerIn(5_000, options),
    readMany: (_, options) => answerIn(1_000, options).then(() => Promise.reject(lost)),
  };

  const done = sendWrite(ensemble, clock, { kind: 'set', path: '/a', data: '' });

  await expect(clock.advanceUntil(done)).rejects.toThrow(lost);
  expect(limits).toEqual([undefined, 9_000, 4_000]);
});
