import { connect as dial } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ALL_PERMISSIONS, connectRawClient, type FaultProxy, OP, OpenHandles, startFaultProxy } from './index.js';
import { fourLetter } from '../zookeeper/four-letter.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const NO_NODE = -101;
const target = Number(zooKeeper.split(':').at(-1));

let handles: OpenHandles;
let proxy: FaultProxy;
let paths = 0;
beforeEach(async () => {
  handles = new OpenHandles();
  proxy = await handles.add(startFaultProxy(target));
});
afterEach(() => handles.stopAll());

const connect = (port = proxy.port) => handles.add(connectRawClient(port));
const newPath = () => `/fault-proxy-${process.pid}-${Date.now()}-${(paths += 1)}`;
/** Checks for a node over a healthy connection of another client. */
const isThere = async (path: string) => (await (await connect(target)).exists(path)).error !== NO_NODE;
/** True if the promise is still open after a request of another client was answered. */
async function isSilent(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  await isThere('/');
  return !settled;
}

it('passes everything on and counts the bytes of each direction while the network is good', async () => {
  const client = await connect();
  const path = newPath();
  await client.create(path, { data: 'x'.repeat(100_000), ephemeral: true });
  expect((await client.getData(path)).body.length).toBeGreaterThan(100_000);
  expect(proxy.counters).toMatchObject({ connections: 1, open: 1 });
  expect(proxy.counters.bytesToServer).toBeGreaterThan(100_000);
  expect(proxy.counters.bytesToClient).toBeGreaterThan(100_000);
});

it('breaks an open connection by a cut, and the next one is fine', async () => {
  const client = await connect();
  proxy.cut();
  await client.closed;
  expect((await (await connect()).exists('/')).error).toBe(0);
  expect(proxy.counters).toMatchObject({ connections: 2, open: 1 });
});

it('refuses clients until the network accepts again', async () => {
  const old = await connect();
  proxy.refuse();
  await expect(once(dial(proxy.port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
  expect((await old.exists('/')).error).toBe(0);
  await proxy.accept();
  expect((await (await connect()).exists('/')).error).toBe(0);
});

it.each(['toServer', 'both'] as const)(
  'holds a create back until the network is healed in a black hole %s',
  async (way) => {
    const client = await connect();
    const path = newPath();
    proxy.blackhole(way);
    const reply = client.create(path, { ephemeral: true });
    expect(await isSilent(reply)).toBe(true);
    expect(await isThere(path)).toBe(false);
    await proxy.heal();
    expect((await reply).error).toBe(0);
  },
);

it('passes a create but holds its reply back until healed in a black hole to the client', async () => {
  const client = await connect();
  const path = newPath();
  proxy.blackhole('toClient');
  const reply = client.create(path, { ephemeral: true });
  await vi.waitFor(async () => expect(await isThere(path)).toBe(true));
  expect(await isSilent(reply)).toBe(true);
  await proxy.heal();
  expect((await reply).error).toBe(0);
});

it('never passes an attempt in a black hole that its client gave up before the healing', async () => {
  proxy.blackhole('both');
  const attempt = dial(proxy.port, '127.0.0.1');
  await once(attempt, 'connect');
  attempt.write('srvr');
  const silent = connectRawClient(proxy.port);
  expect(await isSilent(silent)).toBe(true);
  attempt.destroy();
  await vi.waitFor(() => expect(proxy.counters.open).toBe(1));

  await proxy.heal();
  const client = await handles.add(silent);
  expect((await client.exists('/')).error).toBe(0);
  expect(proxy.counters).toMatchObject({ connections: 2, open: 1 });
});

it('holds the close of a client back until the black hole is healed', async () => {
  const client = await connect();
  const isKnown = async () => (await fourLetter(target, 'cons')).includes(client.sessionId);
  proxy.blackhole('both');
  await client.stop();
  // The server would have received it by now.
  for (let times = 0; times < 3; times += 1) await isThere('/');
  expect(await isKnown()).toBe(true);
  await proxy.heal();
  await vi.waitFor(async () => expect(await isKnown()).toBe(false));
});

it('leaves clients waiting after a silent accept, and serves those that come after the healing', async () => {
  const old = await connect();
  proxy.acceptSilently();
  const waiting = connectRawClient(proxy.port);
  expect((await old.exists('/')).error).toBe(0);
  await proxy.heal();
  expect((await (await connect()).exists('/')).error).toBe(0);
  expect(await isSilent(waiting)).toBe(true);
  proxy.cut();
  await expect(waiting).rejects.toThrow('has ended');
});

it('delays requests in both directions, and keeps their order when the network gets faster', async () => {
  const client = await connect();
  proxy.delay(60);
  const began = performance.now();
  const slow = client.exists('/');
  await vi.waitFor(() => expect(proxy.counters.bytesToServer).toBeGreaterThan(50));
  proxy.delay(0);
  const quick = client.exists('/');
  expect((await slow).xid).toBeLessThan((await quick).xid);
  expect(performance.now() - began).toBeGreaterThan(55);
});

it('applies a write whose reply is lost, and cuts the client off', async () => {
  const client = await connect();
  const [first, second] = [newPath(), newPath()];
  const dropped = proxy.dropReplyAfter(2);
  expect((await client.create(first)).error).toBe(0);
  await expect(client.create(second)).rejects.toThrow('has ended');
  expect((await dropped).type).toBe(OP.create);
  expect(await isThere(second)).toBe(true);
});

it('drops a chosen request before the server, and cuts the client off', async () => {
  const client = await connect();
  const path = newPath();
  void proxy.dropRequest(({ type }) => type === OP.create);
  expect((await client.exists('/')).error).toBe(0);
  await expect(client.create(path)).rejects.toThrow('has ended');
  expect(await isThere(path)).toBe(false);
  expect((await (await connect()).create(path, { ephemeral: true })).error).toBe(0);
});

it('passes half of a reply, and then ends the connection', async () => {
  const client = await connect();
  const path = newPath();
  await client.create(path, { data: 'x'.repeat(10_000), ephemeral: true });
  const before = client.bytesRead;
  const halved = proxy.cutMidFrame();
  await expect(client.getData(path)).rejects.toThrow('has ended');
  await halved;
  expect(client.bytesRead - before).toBeGreaterThan(5_000);
  expect(client.bytesRead - before).toBeLessThan(6_000);
});

it('passes a stream without frames as it is', async () => {
  expect(await fourLetter(proxy.port, 'ruok')).toBe('imok');
});

it('answers chosen requests with an error, in their order and without doing them, until it is healed', async () => {
  const client = await connect();
  const path = newPath();
  proxy.answerWith(-127);
  const [refused, seen] = await Promise.all([client.create(path, { ephemeral: true }), client.exists('/')]);
  expect([refused.error, seen.error]).toEqual([-127, 0]);
  expect(refused.body).toHaveLength(0);
  expect(await isThere(path)).toBe(false);
  await proxy.heal();
  expect((await client.create(path, { ephemeral: true })).error).toBe(0);
});

it('makes a node read-only and writable again', async () => {
  const client = await connect();
  const path = newPath();
  await client.create(path);
  const child = () => client.create(`${path}/child`, { ephemeral: true });
  await client.setAcl(path, 1 | 16);
  expect((await child()).error).toBe(-102);
  await client.setAcl(path, ALL_PERMISSIONS);
  expect((await child()).error).toBe(0);
  await client.remove(`${path}/child`);
  expect((await client.remove(path)).error).toBe(0);
});
