import { setTimeout as delay } from 'node:timers/promises';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';

const PAUSE_MS = 10;

/**
 * Resolves to the milliseconds until a write of the client succeeds, which proves that the client is usable.
 * @throws the error of the last write, if none succeeds within the limit
 */
export async function untilUsable(client: RegistryCenter, limitMs: number): Promise<number> {
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  for (;;) {
    try {
      await client.set('/', '', undefined, { timeoutMs: Math.max(1, Math.ceil(limitMs - elapsed())) });
      return elapsed();
    } catch (cause) {
      if (elapsed() > limitMs) throw new Error(`The client cannot be used within ${limitMs} ms.`, { cause });
      await delay(PAUSE_MS);
    }
  }
}

/** Reasons of the rejected promises. */
export async function rejectionsOf(work: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(work);
  return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
}
