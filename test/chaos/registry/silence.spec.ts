import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { RegistryUnavailableError } from '../../../libs/elastic-job/src/registry/index.js';
import { startEnsemble, startFakeServer, startFaultProxy } from '@test/support/faults/index.js';
import { watchStalls } from '@test/support/stalls.js';
import { SessionDiary } from './session-diary.js';
import { EACH, LATENESS_MS, SOON, useStage } from './stage.js';
import { rejectionsOf, untilUsable } from './usable.js';

const SESSION_MS = 2_000;
const stage = useStage();

describe('D1: a server that is not heard any more', EACH, () => {
  it.each(['both', 'toServer', 'toClient'] as const)(
    'D1: tells a client in a black hole (%s) SUSPENDED, then LOST, before the server gives its nodes away',
    async (way) => {
      const { server, proxy } = await stage().network();
      const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: SESSION_MS });
      await client.create('/mine', '', 'EPHEMERAL');
      const { id } = client.session;
      const diary = new SessionDiary(client);
      const expired = server.untilExpired(id!, 10_000);

      proxy.blackhole(way);
      const stalledMs = watchStalls();
      const begun = Date.now();
      const failures = rejectionsOf([client.read('/mine'), client.set('/mine', 'written')]);
      const suspended = await diary.first('SUSPENDED');
      expect(suspended.at - begun).toBeLessThan((2 / 3) * SESSION_MS + LATENESS_MS + stalledMs());
      const lost = await diary.first('LOST');
      expect(lost.at - stalledMs()).toBeLessThan(await expired);
      expect(await failures).toEqual([
        expect.objectContaining({ code: 'SESSION_LOST' }),
        expect.objectContaining({ code: 'REGISTRY_UNAVAILABLE', fate: 'unknown' }),
      ]);

      await proxy.heal();
      await diary.first('RECONNECTED');
      expect(diary.states()).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);
      expect(client.session.id).not.toBe(id);
      expect(await client.exists('/mine')).toBeUndefined();
    },
  );

  it('D1: is LOST and has a new session if the server was stopped for longer than the session', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect, sessionTimeoutMs: SESSION_MS });
    const { id } = client.session;
    const diary = new SessionDiary(client);

    server.pause();
    const stalledMs = watchStalls();
    const begun = Date.now();
    const suspended = await diary.first('SUSPENDED');
    expect(suspended.at - begun).toBeLessThan((2 / 3) * SESSION_MS + LATENESS_MS + stalledMs());
    const lost = await diary.first('LOST');
    expect(lost.at - begun).toBeLessThan(SESSION_MS + stalledMs());
    expect(client.leaseRemainingMs()).toBe(0);
    server.resume();
    expect((await diary.first('RECONNECTED')).id).not.toBe(id);
    await client.set('/', '');
  });

  it('D1: loses nothing if the server was stopped for a third of the session', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect, sessionTimeoutMs: SESSION_MS });
    const { id } = client.session;
    await client.create('/mine', '', 'EPHEMERAL');

    server.pause();
    const asked = client.set('/mine', 'while stopped');
    await delay(SESSION_MS / 3);
    server.resume();
    await asked;
    expect((await client.read('/mine'))?.stat.ephemeralOwner).toBe(id);
  });

  it.each(['follower', 'leader'] as const)(
    'D1: moves to another server with session and nodes when the %s that it uses is stopped',
    async (role) => {
      const ensemble = await stage().add(startEnsemble(3, { settings: { tickTime: 200 } }));
      const victim = await ensemble[role]();
      const proxies = await Promise.all(
        ensemble.members.map(async (member) => ({ member, proxy: await stage().add(startFaultProxy(member.port)) })),
      );
      for (const { member, proxy } of proxies) if (member !== victim) proxy.refuse();
      const servers = proxies.map(({ proxy }) => proxy.connect).join(',');
      const client = await stage().client({ servers, sessionTimeoutMs: 8_000 });
      await Promise.all(proxies.map(({ proxy }) => proxy.accept()));
      const { id } = client.session;
      await client.create('/mine', '', 'EPHEMERAL');
      const diary = new SessionDiary(client);

      victim.pause();
      await diary.first('RECONNECTED');
      expect(diary.states()).toEqual(['SUSPENDED', 'RECONNECTED']);
      expect((await client.read('/mine'))?.stat.ephemeralOwner).toBe(id);
    },
  );
});

describe('D2: a server that accepts and never answers the handshake', EACH, () => {
  it('D2: fails in time if the only server never answers, and works once it does', async () => {
    const { proxy } = await stage().network();
    proxy.acceptSilently();
    const client = stage().center({ servers: proxy.connect, connectionTimeoutMs: 1_000 });
    const stalledMs = watchStalls();
    const begun = performance.now();
    await expect(client.connect()).rejects.toThrow(RegistryUnavailableError);
    expect(performance.now() - begun).toBeLessThan(1_000 + LATENESS_MS + stalledMs());
    await proxy.heal();
    await client.connect();
    await client.set('/', '');
  });

  it('D2: makes 8 of 8 clients usable within 3 s if one of two servers never answers', async () => {
    const server = await stage().server();
    const silent = await stage().add(startFakeServer({ handshake: 'silence' }));
    const stalledMs = watchStalls();
    const begun = performance.now();
    const clients = await stage().clients(8, {
      servers: `${silent.connect},${server.connect}`,
      sessionTimeoutMs: 4_000,
    });
    await Promise.all(clients.map((client) => client.set('/', '')));
    expect(performance.now() - begun).toBeLessThan(3_000 + stalledMs());
  });

  it('D2: tries again and keeps its session if the server ignores the next connection', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: 4_000 });
    const { id } = client.session;
    const diary = new SessionDiary(client);
    proxy.acceptSilently();
    proxy.cut();
    await diary.first('SUSPENDED');
    await expect.poll(() => proxy.counters.connections, SOON).toBeGreaterThan(1);
    await proxy.heal();
    expect((await diary.first('RECONNECTED')).id).toBe(id);
  });
});

describe('D10: a storm of attempts', EACH, () => {
  const WINDOW_MS = 3_000;
  /**
   * The shortest pauses of the back-off are 50, 100 and 200 ms and then 250 ms. Attempts come at 0, 50, 150, 350, 600,
   * ...
   */
  const mostAttempts = (since: number) => 4 + Math.floor((performance.now() - since - 350) / 250);

  it('D10: pauses longer and longer if a server hangs up right after the handshake', async () => {
    const fake = await stage().add(startFakeServer({ cutAfterHandshake: true }));
    const client = stage().center({ servers: fake.connect, connectionTimeoutMs: WINDOW_MS });
    const begun = performance.now();
    await expect(client.connect()).rejects.toThrow(RegistryUnavailableError);
    expect(fake.connections).toBeGreaterThan(2);
    expect(fake.connections).toBeLessThanOrEqual(mostAttempts(begun));
  });

  it('D10: makes few connections and sends little if each connection is cut at once', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: 10_000 });
    for (let n = 0; n < 100; n += 1) await client.openSubtree(`/watched-${n}`, () => {});
    const stop = client.onSession(({ state }) => state === 'RECONNECTED' && proxy.cut());
    const before = proxy.counters;
    const begun = performance.now();
    proxy.cut();
    await delay(WINDOW_MS);
    stop();
    const { connections, bytesToServer } = proxy.counters;
    const most = mostAttempts(begun);
    expect(connections - before.connections).toBeGreaterThan(2);
    expect(connections - before.connections).toBeLessThanOrEqual(most);
    expect(bytesToServer - before.bytesToServer).toBeLessThan(most * 20_000);
    await untilUsable([client], 3_000);
  });

  it('D10: spends one handshake and no more on a connection that is accepted and never served', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: 10_000 });
    for (let n = 0; n < 100; n += 1) await client.openSubtree(`/watched-${n}`, () => {});
    const before = proxy.counters;
    const begun = performance.now();
    proxy.acceptSilently();
    proxy.cut();
    await delay(WINDOW_MS);
    const { connections, bytesToServer } = proxy.counters;
    const attempts = connections - before.connections;
    expect(attempts).toBeGreaterThan(1);
    expect(attempts).toBeLessThanOrEqual(mostAttempts(begun));
    expect(bytesToServer - before.bytesToServer).toBeLessThanOrEqual(attempts * 64);
    await proxy.heal();
    await untilUsable([client], 6_000);
  });
});
