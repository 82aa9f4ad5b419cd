import { once } from 'node:events';
import { connect as connectByTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  connectRawClient,
  type Ensemble,
  OpenHandles,
  startEnsemble,
  startZooKeeperServer,
  type TestServer,
  whyUnavailable,
} from './index.js';

const NO_NODE = -101;
const LIMITS = { timeout: 60_000 };
const SOON = { timeout: 10_000 };
const handles = new OpenHandles();
afterAll(() => handles.stopAll());

const startServer: typeof startZooKeeperServer = (options) => handles.add(startZooKeeperServer(options));
const connect = (...given: Parameters<typeof connectRawClient>) => handles.add(connectRawClient(...given));

describe('a standalone server', LIMITS, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer({ settings: { tickTime: 100 }, jvmFlags: ['-Dzookeeper.enforceQuota=true'] });
  });

  it('answers only after it was resumed if it is paused', async () => {
    server.pause();
    await expect(server.fourLetter('srvr', 200)).rejects.toThrow('No answer');
    expect(await server.mode()).toBeUndefined();
    server.resume();
    expect(await server.mode()).toBe('standalone');
  });

  it('logs when it expires a silent client, and removes its nodes', async () => {
    const client = await connect(server.port, { sessionTimeoutMs: 600 });
    expect(client.sessionTimeoutMs).toBe(600);
    const lastSaid = Date.now();
    await client.create('/mine', { ephemeral: true });

    const expiredAt = await server.untilExpired(client.sessionId, 5_000);
    expect(expiredAt - lastSaid).toBeGreaterThan(500);
    expect(expiredAt - lastSaid).toBeLessThan(2_000);
    await client.closed;
    const other = await connect(server.port);
    expect((await other.exists('/mine')).error).toBe(NO_NODE);
  });

  it('obeys flags for Java and lines for zoo.cfg: a broken quota is refused', async () => {
    const client = await connect(server.port);
    expect(await server.fourLetter('conf')).toContain('tickTime=100');
    for (const path of ['/full', '/zookeeper/quota/full']) await client.create(path);
    await client.create('/zookeeper/quota/full/zookeeper_limits', {
      data: 'count=-1,bytes=-1=;byteHardLimit=2;countHardLimit=1',
    });
    await client.create('/zookeeper/quota/full/zookeeper_stats', { data: 'count=1,bytes=0' });
    expect((await client.create('/full/one-too-many')).error).toBe(-125);
  });

  it('has node, port and session again after a restart, also after a kill', async () => {
    const client = await connect(server.port, { sessionTimeoutMs: 60_000 });
    await client.create('/kept', { ephemeral: true });
    const first = server.pid;

    await server.restart();
    await client.closed;
    await server.kill();
    expect([server.state, server.pid]).toEqual(['down', undefined]);
    await server.restart();

    expect(server.pid).not.toBe(first);
    expect((await server.sessions()).get(client.sessionId)).toEqual(['/kept']);
  });
});

describe('an ensemble', LIMITS, () => {
  let ensemble: Ensemble;
  beforeAll(async () => {
    ensemble = await handles.add(startEnsemble(3, { settings: { syncLimit: 3 } }));
  });

  it('has another leader and the same nodes when the leader is killed or stopped', async () => {
    const client = await connect((await ensemble.follower()).port);
    await client.create('/agreed');

    const first = await ensemble.leader();
    await first.kill();
    await ensemble.untilServing();
    await first.restart();
    await ensemble.untilServing();
    const second = await ensemble.leader();
    expect(second).not.toBe(first);

    second.pause();
    await ensemble.untilServing();
    const third = await ensemble.leader();
    expect(third).not.toBe(second);
    second.resume();
    await ensemble.untilServing();
    const witness = await connect(third.port);
    expect((await witness.exists('/agreed')).error).toBe(0);
  });

  it('logs on the leader when the session of a killed follower expires', async () => {
    const follower = await ensemble.follower();
    const client = await connect(follower.port, { sessionTimeoutMs: 1_000 });
    const lastSaid = Date.now();
    await client.create('/mine', { ephemeral: true });
    const leader = await ensemble.leader();
    // A leader applies what it commits a moment after the followers may have shown it.
    await expect.poll(async () => (await leader.sessions()).get(client.sessionId), SOON).toEqual(['/mine']);

    await follower.kill();
    const expiredAt = await ensemble.untilExpired(client.sessionId, 10_000);
    expect(expiredAt - lastSaid).toBeGreaterThan(900);
    await expect.poll(async () => (await leader.sessions()).has(client.sessionId), SOON).toBe(false);
  });
});

describe.concurrent.each(['3.8', '3.9'] as const)('ZooKeeper %s', LIMITS, (version) => {
  it('gives a session by TLS only to a client that knows the authority and is known to it', async ({ skip }) => {
    const missing = await whyUnavailable(version);
    if (missing) skip(missing);
    const server = await startServer({ version, tls: { clientAuth: 'need' } });
    expect(await server.fourLetter('srvr')).toContain(`Zookeeper version: ${version}.`);

    const { port, ca, cert, key } = server.tls!;
    const socket = connectByTls({ host: '127.0.0.1', port, ca, cert, key });
    await once(socket, 'secureConnect');
    const client = await connect(port, { socket });
    expect((await client.exists('/zookeeper')).error).toBe(0);

    await expect(once(connectByTls({ host: '127.0.0.1', port, cert, key }), 'secureConnect')).rejects.toThrow(
      /certificate/,
    );
    const unknown = connectByTls({ host: '127.0.0.1', port, ca });
    await expect(connectRawClient(port, { socket: unknown })).rejects.toThrow('has ended');
  });
});
