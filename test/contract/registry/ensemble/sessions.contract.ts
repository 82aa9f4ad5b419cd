import { describe, expect, it } from 'vitest';
import {
  NoChildrenForEphemeralsError,
  RegistryUnavailableError,
  type SessionInfo,
  SessionLostError,
  type SubtreeEvent,
} from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { recordSession, useRegistry } from '../support.js';

export function describeSessions(adapter: RegistryAdapter): void {
  describe('ephemeral nodes and sessions', () => {
    const { harness, one, two, several } = useRegistry(adapter);

    it('show state, id and timeout of the session', async () => {
      const clients = await several(2);
      for (const { session } of clients) {
        expect(session.state).toBe('CONNECTED');
        expect(session.id).toMatch(/^[1-9a-f][0-9a-f]*$/);
        expect(session.timeoutMs).toBeGreaterThan(0);
      }
      expect(new Set(clients.map(({ session }) => session.id)).size).toBe(2);
    });

    it('connect twice to one session, and report CONNECTED once', async () => {
      const namespace = harness().newNamespace();
      const [client, other] = [harness().center({ namespace }), await harness().client({ namespace })];
      const heard: SessionInfo[] = [];
      client.onSession((session) => heard.push(session));
      expect(client.session).toMatchObject({ state: undefined, id: undefined });
      await Promise.all([client.connect(), client.connect()]);
      await client.connect();
      expect(heard).toEqual([client.session]);
      expect(client.session.state).toBe('CONNECTED');
      await client.create('/e', '', 'EPHEMERAL');
      await client.close();
      expect(await other.exists('/e')).toBeUndefined();
    });

    it('have a lease within the session while there is one, and 0 otherwise', async () => {
      const client = harness().center({ namespace: harness().newNamespace() });
      expect(client.leaseRemainingMs()).toBe(0);
      await client.connect();
      expect(client.leaseRemainingMs()).toBeGreaterThan(client.session.timeoutMs / 2);
      expect(client.leaseRemainingMs()).toBeLessThan(client.session.timeoutMs);
      const left: number[] = [];
      client.onSession(() => left.push(client.leaseRemainingMs()));
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      const [suspended, lost, renewed] = left;
      expect(suspended).toBeGreaterThan(0);
      expect(lost).toBe(0);
      expect(renewed).toBeGreaterThan(client.session.timeoutMs / 2);
      await client.close();
      expect(client.leaseRemainingMs()).toBe(0);
    });

    it('name the session that created an ephemeral node as its owner', async () => {
      const [owner, reader] = await two();
      await owner.create('/e', '', 'EPHEMERAL');
      expect((await reader.read('/e'))?.stat.ephemeralOwner).toBe(owner.session.id);
    });

    it('refuse children below an ephemeral node', async () => {
      const client = await one();
      await client.create('/e', '', 'EPHEMERAL');
      const child = client.create('/e/child', '', 'PERSISTENT');
      await expect(child).rejects.toThrow(NoChildrenForEphemeralsError);
      await expect(child).rejects.toMatchObject({ code: 'NO_CHILDREN_FOR_EPHEMERALS', path: '/e/child' });
    });

    it('remove ephemeral nodes at once when the client closes, and keep persistent ones', async () => {
      const [leaver, stayer] = await two();
      await leaver.create('/e', '', 'EPHEMERAL');
      await leaver.create('/s-', '', 'EPHEMERAL_SEQUENTIAL');
      await leaver.create('/p', '', 'PERSISTENT');
      await leaver.close();
      expect(await stayer.children('/')).toEqual(['p']);
    });

    it('report SUSPENDED, LOST and RECONNECTED in order with a new id when a session expires', async () => {
      const client = await one();
      const before = client.session.id;
      const session = recordSession(client);
      const reconnected = session.next('RECONNECTED');
      await harness().expire(client);
      const after = await reconnected;
      expect(session.states()).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);
      expect(after.id).toMatch(/^[1-9a-f][0-9a-f]*$/);
      expect(after.id).not.toBe(before);
      expect(client.session).toEqual(after);
    });

    it('remove the ephemeral nodes of an expired session for all clients', async () => {
      const [client, other] = await two();
      await client.create('/e', '', 'EPHEMERAL');
      await client.create('/p', '', 'PERSISTENT');
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      expect(await other.children('/')).toEqual(['p']);
      await client.create('/e', 'again', 'EPHEMERAL');
      expect((await other.read('/e'))?.stat.ephemeralOwner).toBe(client.session.id);
    });

    it('work again each time if sessions expire again and again', async () => {
      const client = await one();
      const ids = new Set([client.session.id]);
      for (let round = 0; round < 3; round += 1) {
        const reconnected = recordSession(client).next('RECONNECTED');
        await harness().expire(client);
        ids.add((await reconnected).id);
        await client.create(`/e${round}`, '', 'EPHEMERAL');
        expect(await client.children('/')).toEqual([`e${round}`]);
      }
      expect(ids.size).toBe(4);
    });

    it('make every call on a subtree throw SessionLostError after a lost session', async () => {
      const client = await one();
      const id = client.session.id;
      await client.create('/a', '', 'PERSISTENT');
      const heard: SubtreeEvent[] = [];
      const view = await client.openSubtree('/', (event) => heard.push(event));
      const session = recordSession(client);
      const [lost, reconnected] = [session.next('LOST'), session.next('RECONNECTED')];
      const atLoss = lost.then(() => expect(() => view.node('/a')).toThrow(SessionLostError));
      await harness().expire(client);
      await atLoss;
      await reconnected;
      expect(() => view.node('/a')).toThrow(SessionLostError);
      expect(() => view.children('/')).toThrow(SessionLostError);
      await expect(view.sync()).rejects.toMatchObject({ code: 'SESSION_LOST', sessionId: id });
      await client.create('/later', '', 'PERSISTENT');
      await (await client.openSubtree('/', () => {})).sync();
      expect(heard).toEqual([]);
    });

    it('open a complete and living subtree in the new session', async () => {
      const [client, other] = await two();
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      await other.create('/a', '', 'PERSISTENT');
      const view = await client.openSubtree('/', () => {});
      await other.create('/b', '', 'PERSISTENT');
      await view.sync();
      expect(view.children('/').toSorted()).toEqual(['a', 'b']);
    });

    it('refuse requests at once, and send nothing, while SUSPENDED or LOST', async () => {
      const client = await one();
      const sent = client.traffic.foreground;
      const answers: Promise<unknown>[] = [];
      client.onSession(({ state }) => {
        if (state === 'SUSPENDED' || state === 'LOST')
          answers.push(client.exists('/').catch((error: unknown) => error));
      });
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      const [suspended, lost] = await Promise.all(answers);
      expect(suspended).toBeInstanceOf(RegistryUnavailableError);
      expect(suspended).toMatchObject({ fate: 'not-applied' });
      expect(lost).toBeInstanceOf(SessionLostError);
      expect(client.traffic.foreground).toBe(sent);
    });

    it('report each change once to a listener that another listener has added', async () => {
      const client = await one();
      const heard: string[] = [];
      client.onSession(({ state }) => {
        heard.push(`first ${state}`);
        if (state === 'SUSPENDED') client.onSession((later) => heard.push(`second ${later.state}`));
      });
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      expect(heard.filter((text) => text.startsWith('first'))).toEqual([
        'first SUSPENDED',
        'first LOST',
        'first RECONNECTED',
      ]);
      expect(heard).not.toContain('second SUSPENDED');
      expect(heard).toContain('second LOST');
    });

    it('report nothing to a removed listener', async () => {
      const client = await one();
      const heard: SessionInfo[] = [];
      const remove = client.onSession((session) => heard.push(session));
      remove();
      const reconnected = recordSession(client).next('RECONNECTED');
      await harness().expire(client);
      await reconnected;
      expect(heard).toEqual([]);
    });
  });
}
