import { setMaxListeners } from 'node:events';
import { waitFor } from '../../../libs/elastic-job/src/clock/index.js';
import {
  type RegistryCenter,
  RegistryUnavailableError,
  SessionLostError,
} from '../../../libs/elastic-job/src/registry/index.js';
import { outlast } from '@test/support/stalls.js';
import { SessionDiary } from './session-diary.js';

/** Ends a hanging test. No promise speaks of it. */
const LONG_MS = 30_000;

/**
 * Resolves when a write of each client has succeeded, which proves that the client is usable. A write that fails is
 * repeated when the client tells that it is connected again.
 * @param limitMs the time allowed, to which the stalls of this process are added
 * @throws with what the clients have told, and the last error, if the limit passes before
 */
export async function untilUsable(clients: readonly RegistryCenter[], limitMs = LONG_MS): Promise<void> {
  const attempts = clients.map((client) => new Attempt(client));
  const isOver = new AbortController();
  const isDone = new AbortController();
  setMaxListeners(0, isOver.signal);
  const limit = outlast(limitMs, isDone.signal).then(
    () => isOver.abort(new Error(`The limit of ${limitMs} ms has passed.`)),
    () => {},
  );
  const ends = await Promise.allSettled(attempts.map((attempt) => attempt.untilWritten(isOver.signal)));
  isDone.abort();
  await limit;
  const failed = attempts.filter((_, n) => ends[n]!.status === 'rejected');
  if (failed.length === 0) return;
  const words = [...new Set(failed.map(String))].join('\n');
  const cause = failed[0]!.lastError;
  throw new Error(`${failed.length} of ${clients.length} clients cannot be used within ${limitMs} ms:\n${words}`, {
    cause,
  });
}

/** The writes of a client up to the first that succeeds. */
class Attempt {
  lastError: unknown;
  #writes = 0;
  readonly #diary: SessionDiary;

  constructor(private readonly client: RegistryCenter) {
    this.#diary = new SessionDiary(client);
  }

  async untilWritten(signal: AbortSignal): Promise<void> {
    const { client } = this;
    for (;;) {
      try {
        this.#writes += 1;
        await client.set('/', '', undefined, { signal });
        return;
      } catch (error) {
        if (!signal.aborted) this.lastError = error;
        if (!isOfConnection(error)) throw error;
      }
      // Nothing comes between this look and the listener.
      if (!isConnected(client)) await waitFor((goOn) => whenConnected(client, goOn), { signals: [signal] });
    }
  }

  toString(): string {
    const told = this.#diary.states().join(', ') || 'nothing';
    return `${this.#writes} writes, the session told ${told} and is ${this.client.session.state}`;
  }
}

function isOfConnection(error: unknown): boolean {
  return error instanceof RegistryUnavailableError || error instanceof SessionLostError;
}

function isConnected({ session: { state } }: RegistryCenter): boolean {
  return state === 'CONNECTED' || state === 'RECONNECTED';
}

function whenConnected(client: RegistryCenter, goOn: () => void): () => void {
  return client.onSession(() => {
    if (isConnected(client)) goOn();
  });
}

/** Reasons of the rejected promises. */
export async function rejectionsOf(work: readonly Promise<unknown>[]): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(work);
  return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
}
