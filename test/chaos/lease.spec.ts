import { describe, expect, it } from 'vitest';
import { forkClient } from '@test/support/faults/index.js';
import { CONNECTION, EACH, NAMESPACE, useStage } from './registry/stage.js';

const SESSION_MS = 2_000;
/** A process may have to compile the library first. */
const START_LIMIT_MS = 40_000;
const stage = useStage();

interface Told {
  readonly started?: string;
  readonly log?: readonly string[];
}

describe('SIGSTOP of a process that runs an item', EACH, () => {
  it('ends the lease at once after a pause longer than the session, before the registry answers', async () => {
    const { server, proxy } = await stage().network();
    const options = { servers: proxy.connect, namespace: NAMESPACE, sessionTimeoutMs: SESSION_MS, ...CONNECTION };
    const worker = await stage().add(
      forkClient(new URL('./lease.fixture.ts', import.meta.url), [JSON.stringify(options)]),
    );
    const told = (matches: (told: Told) => boolean) =>
      worker.receive((message): message is Told => isTold(message) && matches(message), START_LIMIT_MS);
    const { started } = await told((message) => message.started !== undefined);

    worker.pause();
    await server.untilExpired(started!, 10_000);
    worker.resume();

    const { log = [] } = await told((message) => message.log !== undefined);
    expect(log).toContain('answer');
    // The client's own timer may fire first. An answer from before the pause does not count.
    const news = log.slice(log.lastIndexOf('answer') + 1);
    expect(news).toContain('signal SESSION_LOST');
    expect(news).toContain('pause');
    expect(log.filter((line) => line === 'lost' || line === 'held')).toEqual(['lost']);
    // The process comes back under a new session and runs the item again.
    expect((await told((message) => message.started !== undefined)).started).not.toBe(started);
  });
});

function isTold(message: unknown): message is Told {
  return typeof message === 'object' && message !== null;
}
