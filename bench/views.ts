import { SystemClock } from '../libs/elastic-job/src/clock/index.js';
import {
  type RegistryCenter,
  type SubtreeEvent,
  type SubtreeOptions,
  ZooKeeperRegistryCenter,
} from '../libs/elastic-job/src/registry/index.js';
import { type FaultProxy, OpenHandles, startFaultProxy, type TestServer } from '@test/support/faults/index.js';

const BRANCHES = 30;
const LEAVES = 99;
/** 1 root, 30 branches and 2,970 leaves are 3,001 nodes. */
export const TREE_NODES = 1 + BRANCHES * (1 + LEAVES);
export const WATCHED_PATHS = 10_000;
const PATH_CHARACTERS = 150;
const AT_ONCE = 500;
const VALUE = 'x'.repeat(100);
const ROUNDS = 7;

/**
 * Measures how long it takes to build a view of a tree with values, from nothing and after a reconnect: medians, in
 * milliseconds.
 */
export async function timeTree(server: TestServer): Promise<{ readonly opened: number; readonly rebuilt: number }> {
  return withClient(server, 'bench-tree', async (center, proxy) => {
    await plant(center);
    const opened: number[] = [];
    const rebuilt: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      const { view, reset } = await open(center, '/tree');
      opened.push(performance.now() - begun);
      const reconnected = new Promise<number>((resolve) => {
        const stop = center.onSession(({ state }) => {
          if (state !== 'RECONNECTED') return;
          stop();
          resolve(performance.now());
        });
      });
      proxy.cut();
      const from = await reconnected;
      await reset;
      rebuilt.push(performance.now() - from);
      if (view.children('/tree/branch-0').length !== LEAVES) throw new Error('The view is not complete.');
      view.close();
    }
    return { opened: median(opened), rebuilt: median(rebuilt) };
  });
}

/**
 * Watches very many long paths, breaks the link once, and waits until every watch is in place and every view is
 * complete again.
 */
export async function timeWatches(
  server: TestServer,
): Promise<{ readonly tookMs: number; readonly connections: number; readonly sessionKept: boolean }> {
  return withClient(server, 'bench-watches', async (center, proxy) => {
    const paths = Array.from({ length: WATCHED_PATHS }, (_, n) => `/${String(n).padStart(PATH_CHARACTERS, 'long-')}`);
    const resets: Promise<void>[] = [];
    for (let n = 0; n < paths.length; n += AT_ONCE) {
      const opened = paths.slice(n, n + AT_ONCE).map((path) => open(center, path, { holds: () => false }));
      resets.push(...(await Promise.all(opened)).map(({ reset }) => reset));
    }
    const { id } = center.session;
    const { connections } = proxy.counters;
    const begun = performance.now();
    proxy.cut();
    await Promise.all(resets);
    return {
      tookMs: performance.now() - begun,
      connections: proxy.counters.connections - connections,
      sessionKept: center.session.id === id,
    };
  });
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

async function withClient<T>(
  server: TestServer,
  namespace: string,
  use: (center: RegistryCenter, proxy: FaultProxy) => Promise<T>,
): Promise<T> {
  const handles = new OpenHandles();
  const proxy = await handles.add(startFaultProxy(server.port));
  const options = { servers: proxy.connect, namespace, sessionTimeoutMs: 30_000 };
  const center = new ZooKeeperRegistryCenter(options, new SystemClock());
  await handles.add({ stop: () => center.close() });
  try {
    await center.connect();
    return await use(center, proxy);
  } finally {
    await handles.stopAll();
  }
}

async function plant(center: RegistryCenter): Promise<void> {
  await center.create('/tree', VALUE, 'PERSISTENT');
  for (let branch = 0; branch < BRANCHES; branch += 1) {
    const parent = `/tree/branch-${branch}`;
    const leaves = Array.from({ length: LEAVES }, (_, n) => `${parent}/leaf-${n}`);
    await center.transaction(
      [parent, ...leaves].map((path) => ({ kind: 'create', path, data: VALUE, mode: 'PERSISTENT' }) as const),
    );
  }
}

async function open(center: RegistryCenter, path: string, options?: SubtreeOptions) {
  let tell: () => void;
  const reset = new Promise<void>((resolve) => (tell = resolve));
  const listener = ({ kind }: SubtreeEvent) => kind === 'reset' && tell();
  return { view: await center.openSubtree(path, listener, options), reset };
}
