import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../libs/elastic-job/src/clock/index.js';
import type { RegistryAdapter } from '../harness.js';
import { recordSession, useRegistry } from '../support.js';

const HOUR_MS = 3_600_000;

/** A host whose wall clock can be set. */
class SettableClock extends SystemClock {
  aheadMs = 0;

  override wallNow(): number {
    return super.wallNow() + this.aheadMs;
  }
}

/** Adapters whose clients read one clock only. */
export function describeClockSteps(adapter: RegistryAdapter): void {
  describe(`the wall clock of a client, ${adapter.name}, is set`, () => {
    const { harness } = useRegistry(adapter);

    const connected = async () => {
      const clock = new SettableClock();
      const client = await harness().client({ namespace: harness().newNamespace(), clock });
      return { clock, client, heard: recordSession(client), id: client.session.id! };
    };

    it('forward by an hour: it trusts nothing until the server has answered, and its session goes on', async () => {
      const { clock, client, heard, id } = await connected();
      await client.create('/e', '', 'EPHEMERAL');
      const reconnected = heard.next('RECONNECTED');

      clock.aheadMs = HOUR_MS;

      expect(client.leaseRemainingMs()).toBe(0);
      await reconnected;
      expect(heard.states()).toEqual(['SUSPENDED', 'RECONNECTED']);
      expect(client.session.id).toBe(id);
      expect(client.leaseRemainingMs()).toBeGreaterThan(client.session.timeoutMs / 2);
      expect((await client.read('/e'))?.stat.ephemeralOwner).toBe(id);
    });

    it('forward by an hour: a request waits for the answer, and is sent in the same session', async () => {
      const { clock, client, heard, id } = await connected();

      clock.aheadMs = HOUR_MS;
      await client.create('/e', '', 'EPHEMERAL');

      expect(heard.states()).toEqual(['SUSPENDED', 'RECONNECTED']);
      expect((await client.read('/e'))?.stat.ephemeralOwner).toBe(id);
    });

    it('forward by an hour after the session has ended: the session is LOST, and there is another', async () => {
      const { clock, client, heard, id } = await connected();
      const lost = heard.next('LOST');
      const reconnected = heard.next('RECONNECTED');

      clock.aheadMs = HOUR_MS;
      await harness().expire(client);
      client.leaseRemainingMs();

      await lost;
      await reconnected;
      expect(client.session.id).not.toBe(id);
    });

    it('back by an hour, or forward by less than the lease: nothing happens', async () => {
      const { clock, client, heard } = await connected();
      clock.aheadMs = -HOUR_MS;
      expect(client.leaseRemainingMs()).toBeGreaterThan(0);
      await client.exists('/');
      clock.aheadMs = -HOUR_MS + 1_000;
      expect(client.leaseRemainingMs()).toBeGreaterThan(0);
      await client.exists('/');
      expect(heard.states()).toEqual([]);
    });
  });
}
