import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../../../libs/elastic-job/src/clock/index.js';
import { type RegistryCenter, RegistryUnavailableError } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, recordSession, rejections, useRegistry } from '../support.js';

export function describeRequests(adapter: RegistryAdapter): void {
  describe('signals, closing and time', () => {
    const { harness, one, two } = useRegistry(adapter);

    it('reject with the reason of an aborted signal, and send nothing', async () => {
      const client = await one();
      const view = await client.openSubtree('/', () => {});
      const reason = new Error('given up');
      const options = { signal: AbortSignal.abort(reason) };
      const cost = await costOf(client, async () => {
        await expect(client.read('/a', options)).rejects.toBe(reason);
        await expect(client.childrenMany(['/'], options)).rejects.toBe(reason);
        await expect(client.create('/a', '', 'PERSISTENT', options)).rejects.toBe(reason);
        await expect(client.transaction([{ kind: 'check', path: '/' }], options)).rejects.toBe(reason);
        await expect(client.openSubtree('/', () => {}, options)).rejects.toBe(reason);
        await expect(view.sync(options)).rejects.toBe(reason);
      });
      expect(cost).toBe(0);
      expect(await client.exists('/a')).toBeUndefined();
    });

    it('reject with the reason of a signal that aborts in flight, and the client goes on', async () => {
      const client = await one();
      const controller = new AbortController();
      const reason = new Error('given up');
      const asked = client.create('/a', '', 'PERSISTENT', { signal: controller.signal });
      controller.abort(reason);
      await expect(asked).rejects.toBe(reason);
      await client.ensurePath('/b');
      expect(await client.exists('/b')).toBeDefined();
    });

    it('reject a connect with the reason of an aborted signal, which may be tried again', async () => {
      const client = harness().center({ namespace: harness().newNamespace() });
      const reason = new Error('given up');
      await expect(client.connect({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
      expect(client.session.state).toBeUndefined();
      await client.connect();
      expect(client.session.state).toBe('CONNECTED');
      await client.close();
    });

    it('report that nothing was applied if the client never connected', async () => {
      const client = harness().center({ namespace: harness().newNamespace() });
      const session = recordSession(client);
      const asked = client.create('/a', '', 'PERSISTENT');
      await expect(asked).rejects.toThrow(RegistryUnavailableError);
      await expect(asked).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE', fate: 'not-applied' });
      await expect(asked).rejects.toThrow('create /a');
      await client.close();
      expect(client.session.state).toBeUndefined();
      expect(session.states()).toEqual([]);
    });

    it('report that nothing was applied if the client is closed', async () => {
      const client = await one();
      const session = recordSession(client);
      await client.close();
      await client.close();
      expect(session.states()).toEqual([undefined]);
      expect(client.session).toMatchObject({ state: undefined, id: undefined });
      await expect(client.read('/a')).rejects.toMatchObject({ fate: 'not-applied' });
      await expect(client.connect()).rejects.toMatchObject({ fate: 'not-applied' });
    });

    it('end, every one of them, when the client closes', async () => {
      const [client, other] = await two();
      const asked = Array.from({ length: 20 }, (_, n) => client.create(`/n${n}`, '', 'PERSISTENT'));
      const closed = Promise.all([client.close(), client.close()]);
      const answers = await Promise.allSettled(asked);
      await closed;
      const names = await other.children('/');
      const created = answers.flatMap(({ status }, n) => (status === 'fulfilled' ? `n${n}` : []));
      expect(names).toEqual(expect.arrayContaining(created));
      expect(rejections(answers).filter((error) => !(error instanceof RegistryUnavailableError))).toEqual([]);
    });

    it('do not open a client again that is closed while its session expires', async () => {
      const [client, other] = await two();
      await client.create('/e', '', 'EPHEMERAL');
      await harness().expire(client);
      await client.close();
      expect(client.session.state).toBeUndefined();
      await expect(client.read('/')).rejects.toMatchObject({ fate: 'not-applied' });
      expect(await other.exists('/e')).toBeUndefined();
    });

    it('give a registry time between those of the writes around it', async () => {
      const client = await one();
      await client.create('/before', '', 'PERSISTENT');
      const time = await client.serverTime();
      await client.create('/after', '', 'PERSISTENT');
      expect(time).toBeGreaterThanOrEqual((await client.exists('/before'))!.ctime);
      expect(time).toBeLessThanOrEqual((await client.exists('/after'))!.ctime);
      expect(Math.abs(time - new SystemClock().wallNow())).toBeLessThan(5_000);
    });

    it('give no registry time from memory without a write, not even after a read', async () => {
      const client = await one();
      await client.exists('/none');
      expect(client.time()).toBeUndefined();
    });

    it.each<[string, (client: RegistryCenter) => Promise<unknown>]>([
      ['a node that is created', (client) => client.create('/a', '', 'PERSISTENT')],
      ['a node that is set', (client) => client.set('/', '')],
      ['a transaction that sets', (client) => client.transaction([{ kind: 'set', path: '/', data: '' }])],
      ['the time that is asked for', (client) => client.serverTime()],
    ])('give the registry time from memory at no further request after %s', async (_, write) => {
      const client = await one();
      await write(client);
      const { foreground } = client.traffic;

      const time = client.time()!;
      expect(client.traffic.foreground).toBe(foreground);
      const asked = await client.serverTime();

      // The time has full milliseconds, and passes between the two reads.
      expect(time.earliest).toBeLessThanOrEqual(asked + 1);
      expect(time.latest).toBeGreaterThanOrEqual(time.earliest);
      expect(asked - time.latest).toBeLessThan(5_000);
      const after = client.time()!;
      expect(after.earliest).toBeGreaterThanOrEqual(asked - 1);
      expect(after.latest - after.earliest).toBeLessThan(5_000);
    });

    it('give no registry time from memory after a refused transaction', async () => {
      const client = await one();
      await client.transaction([
        { kind: 'set', path: '/', data: '' },
        { kind: 'check', path: '/none' },
      ]);
      expect(client.time()).toBeUndefined();
    });
  });
}
