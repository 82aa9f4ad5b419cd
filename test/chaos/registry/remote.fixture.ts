// A registry center that is driven from another process. `remote-center.ts` is the other end.
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';

const tell = (message: object): void => void (process.connected && process.send?.(message));
const clock = new SystemClock();
const { workerUrl, ...options } = JSON.parse(process.argv[2] ?? '{}');
const center = new ZooKeeperRegistryCenter({ ...options, ...(workerUrl && { workerUrl: new URL(workerUrl) }) }, clock);
/** Events and answers, in order. */
const log: string[] = [];

center.onSession((session) => {
  log.push(String(session.state));
  tell({ session });
});
process.on('uncaughtException', (error) => tell({ uncaught: error.message }));

/** Actions that no call of the port offers. */
const further: Readonly<Record<string, (...given: never[]) => unknown>> = {
  /** After this, only the client keeps this process alive. */
  letGo: () => process.disconnect(),
  /** From now on listeners throw. */
  throwInListeners: async () => {
    center.onSession(() => {
      throw new Error('a session listener failed');
    });
    await center.openSubtree('/', () => {
      throw new Error('a subtree listener failed');
    });
  },
  /** Keeps asking, and logs each answer as it is delivered. Ends with the first. */
  keepAsking: async () => {
    await ask();
    void keepAsking();
  },
  /** Logs the lease as soon as this process runs again after a pause of more than so many milliseconds. */
  watchForPause: (longestMs: number) => watchForPause(longestMs),
  log: () => log,
  /** Creates an ephemeral node as soon as it has a connection again. */
  returnWith: (path: string) =>
    void center.onSession(({ state }) => {
      if (state === 'RECONNECTED') void center.create(path, '', 'EPHEMERAL');
    }),
};

async function keepAsking(): Promise<void> {
  while (center.session.state !== undefined) {
    await ask();
    await clock.nextTurn();
  }
}

async function ask(): Promise<void> {
  await center.exists('/').then(
    () => log.push('answer'),
    ({ code }: { readonly code: string }) => log.push(code),
  );
}

function watchForPause(longestMs: number): void {
  let last = performance.now();
  const timer = setInterval(() => {
    const gap = performance.now() - last;
    if (gap > longestMs) log.push(`lease ${Math.ceil(center.leaseRemainingMs())}`);
    last = performance.now();
  }, 5);
  timer.unref();
}

process.on('message', async ({ call, given }: { readonly call: string; readonly given: readonly never[] }) => {
  try {
    const method: unknown = further[call] ?? Reflect.get(center, call);
    if (typeof method !== 'function') throw new TypeError(`There is no ${call}.`);
    const result: unknown = await method.apply(center, given);
    tell({ done: call, result: typeof result === 'string' || Array.isArray(result) ? result : null });
  } catch (error) {
    tell({ failed: call, message: String(error) });
  }
});
tell({ ready: true });
