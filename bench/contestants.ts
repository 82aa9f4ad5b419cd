import { createRequire } from 'node:module';
import { SystemClock } from '../libs/elastic-job/src/clock/index.js';
import { type Operation, ZooKeeperRegistryCenter } from '../libs/elastic-job/src/registry/index.js';

/** A measured client of ZooKeeper. Names are those of nodes below a root of its own. */
export interface Contestant {
  readonly name: string;
  create(node: string, data: string): Promise<unknown>;
  get(node: string): Promise<unknown>;
  set(node: string, data: string): Promise<unknown>;
  /** Sets all nodes in one transaction. */
  multi(nodes: readonly string[], data: string): Promise<unknown>;
  close(): Promise<void>;
}

const SESSION_MS = 30_000;

/** This package's registry center. */
export async function startCenter(servers: string): Promise<Contestant> {
  const options = { servers, namespace: 'bench-center', sessionTimeoutMs: SESSION_MS };
  const center = new ZooKeeperRegistryCenter(options, new SystemClock());
  await center.connect();
  return {
    name: 'center',
    create: (node, data) => center.create(`/${node}`, data, 'PERSISTENT'),
    get: (node) => center.read(`/${node}`),
    set: (node, data) => center.set(`/${node}`, data),
    multi: (nodes, data) =>
      center.transaction(nodes.map((node): Operation => ({ kind: 'set', path: `/${node}`, data }))),
    close: () => center.close(),
  };
}

type Callback = (error: unknown) => void;

interface StockTransaction {
  setData(path: string, data: Buffer, version: number): StockTransaction;
  commit(callback: Callback): void;
}

interface StockClient {
  once(event: 'connected', listener: () => void): void;
  connect(): void;
  close(): void;
  create(path: string, data: Buffer, callback: Callback): void;
  getData(path: string, callback: Callback): void;
  setData(path: string, data: Buffer, version: number, callback: Callback): void;
  transaction(): StockTransaction;
}

interface StockLibrary {
  createClient(servers: string, options: { readonly sessionTimeout: number }): StockClient;
}

/** `node-zookeeper-client`, unchanged. */
export async function startStock(servers: string): Promise<Contestant> {
  const library: StockLibrary = createRequire(import.meta.url)('node-zookeeper-client');
  const client = library.createClient(servers, { sessionTimeout: SESSION_MS });
  await new Promise<void>((resolve) => {
    client.once('connected', resolve);
    client.connect();
  });
  const root = '/bench-stock';
  await told((callback) => client.create(root, Buffer.alloc(0), callback));
  return {
    name: 'stock',
    create: (node, data) => told((callback) => client.create(`${root}/${node}`, Buffer.from(data), callback)),
    get: (node) => told((callback) => client.getData(`${root}/${node}`, callback)),
    set: (node, data) => told((callback) => client.setData(`${root}/${node}`, Buffer.from(data), -1, callback)),
    multi: (nodes, data) => {
      const transaction = client.transaction();
      for (const node of nodes) transaction.setData(`${root}/${node}`, Buffer.from(data), -1);
      return told((callback) => transaction.commit(callback));
    },
    close: async () => client.close(),
  };
}

function told(call: (callback: Callback) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}
