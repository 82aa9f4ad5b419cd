import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { connectRawClient, emptyReply, OP, startFakeServer } from '@test/support/faults/index.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { watchStalls } from '@test/support/stalls.js';
import { SessionDiary } from './session-diary.js';
import { EACH, LATENESS_MS, NAMESPACE, SOON, useStage } from './stage.js';
import { rejectionsOf } from './usable.js';

const SESSION_MS = 2_000;
const NO_AUTH = -102;
const stage = useStage();

describe('D6: requests around an expiry', EACH, () => {
  it('D6: ends all requests around an outage longer than the session, and sends none of them later', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: SESSION_MS });
    await client.create('/a', 'before', 'PERSISTENT');
    const { id } = client.session;
    const diary = new SessionDiary(client);
    const write = () => [
      client.set('/a', 'stale'),
      client.create('/stale', '', 'PERSISTENT'),
      client.transaction([{ kind: 'set', path: '/a', data: 'stale' }]),
    ];

    proxy.blackhole('toServer');
    const inFlight = rejectionsOf(write());
    await stage().clock.nextTurn();
    proxy.refuse();
    proxy.cut();
    await diary.first('SUSPENDED');
    expect(await rejectionsOf(write())).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ fate: 'not-applied' })),
    );
    await diary.first('LOST');
    expect(await rejectionsOf(write())).toEqual(
      Array.from({ length: 3 }, () => expect.objectContaining({ code: 'SESSION_LOST', sessionId: id })),
    );
    // Single writes waited to learn their fate while the session could still come back.
    expect(await inFlight).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ fate: 'unknown' })));

    await proxy.heal();
    expect((await diary.first('RECONNECTED')).id).not.toBe(id);
    expect((await client.read('/a'))?.data).toBe('before');
    expect(await client.exists('/stale')).toBeUndefined();
    expect((await client.set('/a', 'after')).version).toBe(1);
  });

  it('ends 100 writes on their way when the server expires the session, and keeps every acknowledged one', async () => {
    const server = await stage().server();
    const proxy = await stage().add(startProxy(server.connect));
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: SESSION_MS });
    const { id } = client.session;
    const diary = new SessionDiary(client);

    const paths = Array.from({ length: 100 }, (_, n) => `/n${n}`);
    const writes = Promise.allSettled(paths.map((path) => client.create(path, '', 'PERSISTENT')));
    await proxy.expire(id!);
    const more = Promise.allSettled(paths.map((path) => client.create(`${path}-more`, '', 'PERSISTENT')));
    await diary.first('RECONNECTED');
    expect(diary.states()).toEqual(['SUSPENDED', 'LOST', 'RECONNECTED']);

    const asked = [...paths, ...paths.map((path) => `${path}-more`)];
    const ends = [...(await writes), ...(await more)];
    const names = new Set(await client.children('/'));
    const wrong = asked.filter((path, n) => ends[n]?.status === 'fulfilled' && !names.has(path.slice(1)));
    expect(wrong).toEqual([]);
  });
});

describe('D7: credentials', EACH, () => {
  it('D7: authorises requests by digest in the turn of the connection, and strangers not', async () => {
    const { server, proxy } = await stage().network();
    const client = stage().center({ servers: proxy.connect, digest: 'alice:secret', sessionTimeoutMs: 10_000 });
    const created = new Promise<string>((resolve, reject) => {
      client.onSession(() => client.create('/first', '', 'PERSISTENT').then(resolve, reject));
    });
    await client.connect();
    expect(await created).toBe('/first');
    const stranger = await stage().add(connectRawClient(server.port));
    expect((await stranger.getData(`/${NAMESPACE}/first`)).error).toBe(NO_AUTH);

    const reread = new Promise((resolve, reject) => {
      client.onSession(
        ({ state }) => state === 'RECONNECTED' && void client.set('/first', 'again').then(resolve, reject),
      );
    });
    proxy.cut();
    expect(await reread).toMatchObject({ version: 1 });
  });
});

describe('D11: close and connect in every state', EACH, () => {
  const LIMIT_MS = Math.min(2_000, SESSION_MS / 3) + LATENESS_MS;
  const connected = async () => {
    const network = await stage().network();
    const client = await stage().client({ servers: network.proxy.connect, sessionTimeoutMs: SESSION_MS });
    return { ...network, client };
  };

  const states: Readonly<Record<string, () => Promise<RegistryCenter>>> = {
    'was never connected': async () => stage().center({ servers: '127.0.0.1:1' }),
    'connects to a silent server': async () => {
      const fake = await stage().add(startFakeServer({ handshake: 'silence' }));
      return connecting(fake.connect, () => fake.connections > 0);
    },
    'connects to a server that refuses': async () => {
      const { proxy } = await stage().network();
      proxy.refuse();
      return connecting(proxy.connect, () => true);
    },
    'prepares its first session with a server that says nothing more': async () => {
      const fake = await stage().add(startFakeServer({ reply: () => 'silence' }));
      return connecting(fake.connect, () => fake.connections > 0);
    },
    'is CONNECTED': async () => (await connected()).client,
    'is SUSPENDED': async () => {
      const { client, proxy } = await connected();
      const diary = new SessionDiary(client);
      proxy.refuse();
      proxy.cut();
      await diary.first('SUSPENDED');
      return client;
    },
    'is SUSPENDED and reconnects to a server that accepts silently': async () => {
      const { client, proxy } = await connected();
      const diary = new SessionDiary(client);
      proxy.acceptSilently();
      proxy.cut();
      await diary.first('SUSPENDED');
      await expect.poll(() => proxy.counters.connections, SOON).toBeGreaterThan(1);
      return client;
    },
    'is LOST': async () => {
      const { client, proxy } = await connected();
      const diary = new SessionDiary(client);
      proxy.refuse();
      proxy.cut();
      await diary.first('LOST');
      return client;
    },
    'is RECONNECTED': async () => {
      const { client, proxy } = await connected();
      const diary = new SessionDiary(client);
      proxy.cut();
      await diary.first('RECONNECTED');
      return client;
    },
    'is in a black hole': async () => {
      const { client, proxy } = await connected();
      proxy.blackhole('both');
      return client;
    },
    'has requests in flight': async () => {
      const { client, proxy } = await connected();
      proxy.blackhole('toClient');
      void rejectionsOf([client.set('/', 'a'), client.read('/'), client.create('/b', '', 'EPHEMERAL')]);
      return client;
    },
    'is closed already': async () => {
      const { client } = await connected();
      await client.close();
      return client;
    },
  };

  it.each(Object.entries(states))(
    'D11: settles two close calls at once, within the limit, for a client that %s',
    async (_state, enter) => {
      const client = await enter();
      const stalledMs = watchStalls();
      const begun = performance.now();
      await Promise.all([client.close(), client.close()]);
      expect(performance.now() - begun).toBeLessThan(LIMIT_MS + stalledMs());
      expect([client.session.state, client.leaseRemainingMs()]).toEqual([undefined, 0]);
      await expect(client.connect()).rejects.toMatchObject({ fate: 'not-applied' });
      await expect(client.read('/')).rejects.toMatchObject({ fate: 'not-applied' });
    },
  );

  it.each(['CONNECTED', 'RECONNECTED'] as const)(
    'D11: removes session and ephemeral node at once when a client that is %s is closed',
    async (state) => {
      const { server, client, proxy } = await connected();
      await client.create('/mine', '', 'EPHEMERAL');
      if (state === 'RECONNECTED') {
        const back = new SessionDiary(client).next('RECONNECTED');
        proxy.cut();
        await back;
      }
      expect((await server.sessions()).size).toBe(1);
      await client.close();
      expect((await server.sessions()).size).toBe(0);
    },
  );

  it('D11: opens one session for a client that is connected several times at once and again', async () => {
    const { server, proxy } = await stage().network();
    const client = stage().center({ servers: proxy.connect });
    await Promise.all([client.connect(), client.connect()]);
    await client.connect();
    expect((await server.sessions()).size).toBe(1);
    expect(proxy.counters.connections).toBe(1);
  });

  async function connecting(servers: string, isUnderWay: () => boolean): Promise<RegistryCenter> {
    const client = stage().center({ servers, sessionTimeoutMs: SESSION_MS });
    void client.connect().catch(() => {});
    await expect.poll(isUnderWay, SOON).toBe(true);
    await delay(20);
    return client;
  }
});

describe('a server that is too old', EACH, () => {
  it('names the remedy when the server knows no persistent watches', async () => {
    const UNIMPLEMENTED = -6;
    const fake = await stage().add(
      startFakeServer({ reply: ({ xid, type }) => emptyReply(xid, type === OP.closeSession ? 0 : UNIMPLEMENTED) }),
    );
    const connecting = stage().center({ servers: fake.connect }).connect();
    await expect(connecting).rejects.toMatchObject({ code: 'UNSUPPORTED_SERVER' });
    await expect(connecting).rejects.toThrow('older than version 3.6');
  });
});
