import { afterAll, beforeAll } from 'vitest';
import type {
  RegistryCenter,
  SessionInfo,
  SessionState,
  SubtreeEvent,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { ClientOptions, RegistryAdapter, RegistryHarness } from './harness.js';

/**
 * Starts the adapter for the topic around the call. Each call of `one`, `two` or `several` connects clients in a new
 * namespace.
 */
export function useRegistry(adapter: RegistryAdapter) {
  let harness: RegistryHarness;
  beforeAll(async () => {
    harness = await adapter.start();
  });
  afterAll(() => harness.stop());

  const several = async (count: number): Promise<[RegistryCenter, ...RegistryCenter[]]> => {
    const options = { namespace: harness.newNamespace() };
    const others = Array.from({ length: count - 1 }, () => harness.client(options));
    return [await harness.client(options), ...(await Promise.all(others))];
  };
  const one = async (): Promise<RegistryCenter> => (await several(1))[0];
  const two = async (): Promise<[RegistryCenter, RegistryCenter]> => {
    const options = { namespace: harness.newNamespace() };
    return [await harness.client(options), await harness.client(options)];
  };
  return { harness: () => harness, one, two, several };
}

/**
 * The clients of one harness.
 * @param make creates a client that is not connected yet
 * @param base first level of the namespaces
 */
export function clientsOf(make: (options: ClientOptions) => RegistryCenter, base = 'contract') {
  const all: RegistryCenter[] = [];
  let namespaces = 0;
  const center = (options: ClientOptions): RegistryCenter => {
    const made = make(options);
    all.push(made);
    return made;
  };
  const client = async (options: ClientOptions): Promise<RegistryCenter> => {
    const made = center(options);
    await made.connect();
    return made;
  };
  const newNamespace = (): string => `${base}/n${(namespaces += 1)}`;
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((made) => made.close()));
  };
  return { all, center, client, newNamespace, stop };
}

/** The states that a client reports from now on. */
export function recordSession(client: RegistryCenter) {
  const heard: SessionInfo[] = [];
  const waiting = new Map<SessionState, (session: SessionInfo) => void>();
  client.onSession((session) => {
    heard.push(session);
    if (session.state) waiting.get(session.state)?.(session);
  });
  return {
    states: () => heard.map(({ state }) => state),
    /** Call this before the action that leads to the state. */
    next: (state: SessionState) => new Promise<SessionInfo>((resolve) => waiting.set(state, resolve)),
  };
}

/** Breaks the connections of all clients that have one. Resolves when each has a new one. */
export async function cutAll(clients: readonly RegistryCenter[], cut: () => void): Promise<void> {
  const open = clients.filter(({ session: { state } }) => state === 'CONNECTED' || state === 'RECONNECTED');
  const back = Promise.all(open.map((client) => recordSession(client).next('RECONNECTED')));
  cut();
  await back;
}

/** An event as text in an expectation: `created /a`. */
export function eventText(event: SubtreeEvent): string {
  return event.kind === 'reset' ? 'reset' : `${event.kind} ${event.path}`;
}

/** The number of foreground requests that an action costs. */
export async function costOf(client: RegistryCenter, action: () => Promise<unknown>): Promise<number> {
  const before = client.traffic.foreground;
  await action();
  return client.traffic.foreground - before;
}

/** The reasons of those that were rejected. */
export function rejections(answers: readonly PromiseSettledResult<unknown>[]): readonly unknown[] {
  return answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
}

/** The operation that creates an empty, persistent node. */
export function creationOf(path: string) {
  return { kind: 'create', path, data: '', mode: 'PERSISTENT' } as const;
}
