import { MemoryStage } from '@test/support/unit/memory-stage.js';
import { describe, expect, it } from 'vitest';
import { repeat } from '../repeat/index.js';
import { RegistryUnavailableError } from './registry.errors.js';
import { untilServed } from './request-policy.js';

describe('a pause between two requests', () => {
  it('ends with the reason of its signal, also if the registry center is closed meanwhile', async () => {
    const { ending, policy, registry, stage } = await setUp();
    const unanswered = () => Promise.reject(new RegistryUnavailableError('read /a', 'unknown', 'no answer'));

    const done = repeat(policy, unanswered);
    await stage.clock.advance(1);
    const closing = registry.close();
    ending.abort(new Error('the session is over'));

    await expect(done).rejects.toThrow('the session is over');
    await stage.during(() => closing);
  });

  it('ends so for a caller that does not repeat by the policy', async () => {
    const { ending, policy } = await setUp();
    await policy.wait(); // The first one is none.

    const pausing = policy.wait();
    ending.abort(new Error('the session is over'));

    await expect(pausing).rejects.toThrow('the session is over');
  });
});

async function setUp() {
  const stage = new MemoryStage();
  const registry = await stage.connected();
  const ending = new AbortController();
  const policy = untilServed(registry, stage.clock, { signal: ending.signal });
  return { ending, policy, registry, stage };
}
