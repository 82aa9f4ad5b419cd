import { afterEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  ServerError,
  SessionLostError,
  SharedRegistry,
  UnsupportedServerError,
  ZooKeeperRegistryCenter,
} from '../../libs/elastic-job/src/registry/index.js';
import type { NodeEventKind, Watcher } from '../../libs/elastic-job/src/registry/zookeeper/session/watches.js';
import { ZooKeeperEnsemble } from '../../libs/elastic-job/src/registry/zookeeper/zookeeper-ensemble.js';
import { resolveZooKeeperOptions } from '../../libs/elastic-job/src/registry/zookeeper/zookeeper-options.js';
import { LIMITS } from '@test/support/limits.js';
import { emptyReply, nothingRead, OP, startFakeServer } from '@test/support/faults/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const UNIMPLEMENTED = -6;
const QUOTA_EXCEEDED = -125;
const SESSION_EXPIRED = -112;
const SESSION_MOVED = -118;
const NODE_EXISTS = -110;
const clock = new SystemClock();
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('watches of ZooKeeper 3.6', LIMITS, () => {
  it('report changes at and below a watched path once each, until the watch is removed', async () => {
    const [{ ensemble, client }, { registry: other }] = [await connected('watched'), await connected('watched')];
    const root = `/${clock.uuid()}`;
    const heard: string[] = [];
    const watcher = recorder((kind, path) => heard.push(`${kind} ${client.relative(path).slice(root.length)}`));
    client.watch(root, watcher);
    await ensemble.sync();
    await other.create(root, '', 'PERSISTENT');
    await other.create(`${root}/a`, '', 'CONTAINER');
    await other.set(`${root}/a`, 'x');
    await other.delete(`${root}/a`);
    await ensemble.sync();
    expect(heard).toEqual(['created ', 'created /a', 'changed /a', 'deleted /a']);
    client.unwatch(root, watcher);
    await other.delete(root);
    await ensemble.sync();
    expect(heard).toHaveLength(4);
  });
});

describe('servers that refuse', LIMITS, () => {
  it('end a connect at once if they are older than 3.6, and the error says what to do', async () => {
    const server = await startFakeServer({ reply: ({ xid }) => emptyReply(xid, UNIMPLEMENTED) });
    cleanups.push(() => server.stop());
    const center = new ZooKeeperRegistryCenter({ servers: server.connect, namespace: 'orders' }, clock);
    cleanups.push(() => center.close());
    const connecting = center.connect();
    await expect(connecting).rejects.toThrow(UnsupportedServerError);
    await expect(connecting).rejects.toThrow(`${server.connect} is older than version 3.6. Upgrade the ensemble.`);
    expect(center.session.state).toBeUndefined();
  });

  it('give a code that is not about a node to the error, with the outcome', async () => {
    const server = await startFakeServer({
      reply: ({ xid, type }) => emptyReply(xid, type === -11 ? 0 : QUOTA_EXCEEDED),
    });
    cleanups.push(() => server.stop());
    const center = new ZooKeeperRegistryCenter(
      { servers: server.connect, namespace: 'orders', connectionTimeoutMs: 1_000 },
      clock,
    );
    cleanups.push(() => center.close());
    const refused: unknown = await center.connect().catch((error: Error) => error.cause);
    expect(refused).toBeInstanceOf(ServerError);
    expect(refused).toMatchObject({ code: 'SERVER_ERROR', serverCode: QUOTA_EXCEEDED, fate: 'not-applied' });
  });

  it.each([SESSION_EXPIRED, SESSION_MOVED])(
    'end a read with the session, not with the code, after %i, which ends the session',
    async (code) => {
      const server = await startFakeServer({
        reply: ({ xid, type }) => {
          if (type === OP.multiRead) return nothingRead(xid);
          if (type === OP.create2) return emptyReply(xid, NODE_EXISTS);
          return emptyReply(xid, type === OP.getData ? code : 0);
        },
      });
      cleanups.push(() => server.stop());
      const { registry } = await connected('orders', server.connect);
      await expect(registry.read('/a')).rejects.toThrow(SessionLostError);
    },
  );
});

async function connected(namespace = clock.uuid(), servers = zooKeeper) {
  const options = { servers, namespace: `integration/${namespace}`, sessionTimeoutMs: 10_000 };
  const ensemble = new ZooKeeperEnsemble(resolveZooKeeperOptions(options), clock);
  cleanups.push(() => ensemble.close());
  await ensemble.connect();
  return { ensemble, client: ensemble.client, registry: new SharedRegistry(ensemble, clock) };
}

const nothing = () => {};

function recorder(heard: (kind: NodeEventKind, path: string) => void): Watcher {
  return {
    isRecursive: true,
    receive: heard,
    receiveOwn: heard,
    wrote: nothing,
    reconnected: nothing,
    lost: nothing,
  };
}
