import { describe, expect, it } from 'vitest';
import { ServerError } from '../../../libs/elastic-job/src/registry/index.js';
import { connectRawClient, MALFORMED, startFakeServer, startFaultProxy } from '@test/support/faults/index.js';
import { SessionDiary } from './session-diary.js';
import { EACH, ENDURING_SESSION_MS, NAMESPACE, SOON, USABLE_WITHIN_MS, useStage } from './stage.js';
import { rejectionsOf, untilUsable } from './usable.js';

const BIG = 'x'.repeat(200_000);
const stage = useStage();

describe('D4: a frame that is torn', EACH, () => {
  it('D4: reads the next connection from its start after a big reply was cut in the middle', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    await client.create('/big', BIG, 'PERSISTENT');
    const diary = new SessionDiary(client);

    const { connections } = proxy.counters;
    const torn = proxy.cutMidFrame();
    const reading = client.read('/big');
    await torn;
    expect((await reading)?.data).toBe(BIG);
    expect(diary.states()).toEqual(['SUSPENDED', 'RECONNECTED']);
    expect(proxy.counters.connections - connections).toBe(1);
  });

  it('D4: makes 20 of 20 clients usable after a SIGKILL of the server amid big replies', async () => {
    const server = await stage().server();
    const clients = await stage().clients(20, { servers: server.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
    await clients[0]!.create('/big', BIG, 'PERSISTENT');
    const reading = rejectionsOf(clients.flatMap((client) => Array.from({ length: 5 }, () => client.read('/big'))));
    await clients[0]!.read('/big');
    await server.kill();
    await server.restart();
    await untilUsable(clients, USABLE_WITHIN_MS);
    // Reads survive a reconnect.
    expect(await reading).toEqual([]);
  });
});

describe('D5: an error code that is not of a node', EACH, () => {
  it('D5: refuses a write beyond the quota with its code, and the client goes on', async () => {
    const server = await stage().server({ jvmFlags: ['-Dzookeeper.enforceQuota=true'] });
    const client = await stage().client({ servers: server.connect });
    await limitNamespace(server.port);
    const { id } = client.session;

    const creating = client.create('/one-too-many', '', 'PERSISTENT');
    await expect(creating).rejects.toThrow(ServerError);
    await expect(creating).rejects.toMatchObject({ serverCode: -125, fate: 'not-applied' });
    await expect(
      client.transaction([{ kind: 'create', path: '/one-too-many', data: '', mode: 'PERSISTENT' }]),
    ).rejects.toMatchObject({ serverCode: -125, fate: 'not-applied' });
    expect(await client.children('/')).toEqual([]);
    expect(client.session).toMatchObject({ state: 'CONNECTED', id });
  });
});

/** Lets the namespace have no node but its root. */
async function limitNamespace(port: number): Promise<void> {
  const raw = await stage().add(connectRawClient(port));
  const quota = `/zookeeper/quota/${NAMESPACE}`;
  await raw.create(quota);
  await raw.create(`${quota}/zookeeper_limits`, { data: 'count=-1,bytes=-1=;byteHardLimit=-1;countHardLimit=1' });
  await raw.create(`${quota}/zookeeper_stats`, { data: 'count=1,bytes=0' });
}

describe('D12: request numbers', EACH, () => {
  it('D12: answers requests beyond number 2^31 - 3 of a connection', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect });
    skipRequests(client, 2 ** 31 - 3);
    const paths = Array.from({ length: 6 }, (_, n) => `/n${n}`);
    const created = await Promise.all(paths.map((path) => client.create(path, '', 'PERSISTENT')));
    expect(created).toEqual(paths);
    expect((await client.children('/')).toSorted()).toEqual(paths.map((path) => path.slice(1)));
    expect(client.session.state).toBe('CONNECTED');
  });
});

/** Sets the request number of the connection. The port does not offer it, so this uses internals. */
function skipRequests(client: object, count: number): void {
  const inside = ['ensemble', 'client', 'session', 'connection', 'replies'];
  const replies = inside.reduce((owner, name) => Reflect.get(owner, name), client);
  if (typeof Reflect.get(replies, 'lastXid') !== 'number') throw new TypeError('The count of requests has moved.');
  Reflect.set(replies, 'lastXid', count);
}

describe('D13: frames that no server sends', EACH, () => {
  it.each(Object.entries(MALFORMED))(
    'D13: goes on to a healthy server if one answers with %s',
    async (_name, malformed) => {
      const server = await stage().server();
      const healthy = await stage().add(startFaultProxy(server.port));
      const fake = await stage().add(startFakeServer({ reply: () => malformed }));
      healthy.refuse();
      const client = stage().center({ servers: `${fake.connect},${healthy.connect}` });
      const connecting = client.connect();
      await expect.poll(() => fake.connections, SOON).toBeGreaterThan(0);
      await healthy.accept();
      await connecting;
      await client.set('/', '');
    },
  );

  it('D13: waits for no data if a handshake announces 2 GB', async () => {
    const fake = await stage().add(startFakeServer({ handshake: MALFORMED.hugeLength }));
    const client = stage().center({ servers: fake.connect, connectionTimeoutMs: 1_000 });
    await expect(client.connect()).rejects.toMatchObject({ fate: 'not-applied' });
    // Each connection was given up at once, so there was time for more.
    expect(fake.connections).toBeGreaterThan(2);
  });
});
