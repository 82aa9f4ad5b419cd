import { describe } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import {
  type RegistryCenter,
  ZooKeeperRegistryCenter,
  type ZooKeeperOptions,
} from '../../../libs/elastic-job/src/registry/index.js';
import {
  type ClientOptions,
  cutAll,
  describeRegistryContract,
  type RegistryHarness,
} from '../../contract/registry/index.js';
import {
  OpenHandles,
  startEnsemble,
  startZooKeeperServer,
  type Stoppable,
  type TestServer,
  type TestServerOptions,
} from '@test/support/faults/index.js';
import { closeSession, startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import { CONNECTION, FULL } from './stage.js';

/** A registry of real servers, with its access. */
interface Place extends Stoppable {
  /** Options that clients need to connect. */
  readonly access: Pick<ZooKeeperOptions, 'servers' | 'tls'>;
  /** A port for plain connections. */
  readonly port: number;
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  'ZooKeeper 3.9': () => standalone({ version: '3.9' }),
  'ZooKeeper 3.8 over TLS': () => standalone({ version: '3.8', tls: { clientAuth: 'need' } }),
  'an ensemble of ZooKeeper 3.8': () => ensemble({ version: '3.8' }),
  ...(FULL && {
    'ZooKeeper 3.9 over TLS': () => standalone({ version: '3.9', tls: { clientAuth: 'need' } }),
    'an ensemble of ZooKeeper 3.9': () => ensemble({ version: '3.9' }),
  }),
};

describe('versions', { timeout: 30_000 }, () => {
  for (const [name, start] of Object.entries(PLACES)) {
    describeRegistryContract({ name, start: async () => await harnessOf(await start()) });
  }
});

async function standalone(options: TestServerOptions): Promise<Place> {
  const server = await startZooKeeperServer(options);
  return { access: accessTo(server), port: server.port, stop: () => server.stop() };
}

async function ensemble(options: TestServerOptions): Promise<Place> {
  const started = await startEnsemble(3, options);
  // All on one member: a plain read may be behind a write of another member's client, which the suite does not expect.
  const follower = await started.follower();
  return { access: { servers: follower.connect }, port: follower.port, stop: () => started.stop() };
}

function accessTo({ connect, tls }: TestServer): Place['access'] {
  if (!tls) return { servers: connect };
  const { ca, cert, key } = tls;
  return { servers: tls.connect, tls: { ca, cert, key } };
}

async function harnessOf(place: Place): Promise<RegistryHarness> {
  const clock = new SystemClock();
  const handles = new OpenHandles();
  void handles.add(place);
  const network = await startProxy(place.access.servers);
  void handles.add(network);
  const centers: RegistryCenter[] = [];
  let namespaces = 0;

  const center = (options: ClientOptions): RegistryCenter => {
    const made = new ZooKeeperRegistryCenter(
      {
        ...place.access,
        servers: network.connect,
        sessionTimeoutMs: 10_000,
        requestTimeoutMs: 5_000,
        ...CONNECTION,
        ...options,
      },
      clock,
    );
    void handles.add({ stop: () => made.close() });
    centers.push(made);
    return made;
  };
  return {
    center,
    async client(options) {
      const made = center(options);
      await made.connect();
      return made;
    },
    newNamespace: () => `contract/n${(namespaces += 1)}`,
    expire: (client) =>
      closeSession({
        host: '127.0.0.1',
        port: place.port,
        sessionId: client.session.id!,
        password: passwordOf(client),
      }),
    cut: () => cutAll(centers, () => network.cut()),
    stop: () => handles.stopAll(),
  };
}

/** Uses internals, because no proxy can read the password from a TLS connection. */
function passwordOf(client: object): Buffer {
  const inside = ['ensemble', 'client', 'session', 'ticket', 'password'];
  const password: unknown = inside.reduce((owner, name) => Reflect.get(owner, name), client);
  if (Buffer.isBuffer(password)) return password;
  throw new TypeError('The password of the session has moved.');
}
