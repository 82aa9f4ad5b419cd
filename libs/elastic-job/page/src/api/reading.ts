/**
 * Facts that a view has read of the API, and that stay up to date. A reading that fails later keeps the value that it
 * has: a failed part never empties the page.
 *
 * ```tsx
 * const job = useReading(`job ${name}`, (signal) => get<JobAnswer>(apiPath('jobs', name), { signal }), {
 *   topics: [`job:${name}`],
 * });
 * ```
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { asProblem, renewedSessions } from './client.js';
import { listen, liveState } from './live.js';
import { present } from './present.js';
import type { ApiProblem } from './problem.js';

const POLL_MS = 5_000;
/** Least time between two readings because of frames, of which a topic has four a second at most. */
const FRAME_MS = 200;

export interface ReadingOptions<Value> {
  /** Topics of the stream; each frame has it read again. While there is no stream, it is read every five seconds. */
  readonly topics?: readonly string[];
  /** Makes the new value of a frame, without reading. Undefined: it has to be read again. */
  readonly merge?: (value: Value | undefined, frame: any) => Value | undefined;
  /** Also read again after so many milliseconds. */
  readonly everyMs?: number;
}

export interface Reading<Value> {
  /** Undefined until it was read once. */
  readonly value: ReadonlySignal<Value | undefined>;
  /** Why the last reading has failed; undefined if it has not. */
  readonly problem: ReadonlySignal<ApiProblem | undefined>;
  readonly isReading: ReadonlySignal<boolean>;
  /** When the value was read, in milliseconds since the epoch. */
  readonly at: ReadonlySignal<number>;
  /** Reads again, now. */
  readonly reload: () => void;
}

/** A reading without a component, which somebody has to start. `start` returns a function that ends it. */
export function createReading<Value>(
  read: (signal: AbortSignal) => Promise<Value>,
  { everyMs, merge, topics = [] }: ReadingOptions<Value> = {},
): Reading<Value> & { readonly start: () => () => void } {
  const value = signal<Value | undefined>(undefined);
  const problem = signal<ApiProblem | undefined>(undefined);
  const isReading = signal(false);
  const at = signal(0);
  let running: AbortController | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let begunAt = 0;
  let isOld = false;

  const put = (next: Value) => {
    value.value = next;
    at.value = present();
    problem.value = undefined;
  };
  const reload = async () => {
    running?.abort();
    const own = (running = new AbortController());
    isReading.value = true;
    begunAt = Date.now();
    isOld = false;
    try {
      const next = await read(own.signal);
      if (!own.signal.aborted) put(next);
    } catch (error) {
      if (!own.signal.aborted) problem.value = asProblem(error);
    } finally {
      if (running === own) {
        isReading.value = false;
        if (isOld && !own.signal.aborted) reloadSoon();
      }
    }
  };
  const reloadSoon = () => {
    // Frames may come faster than answers: the reading that is under way ends first.
    if (isReading.peek()) {
      isOld = true;
      return;
    }
    waiting ??= setTimeout(
      () => {
        waiting = undefined;
        void reload();
      },
      Math.max(0, begunAt + FRAME_MS - Date.now()),
    );
  };
  const onFrame = (frame: unknown) => {
    const merged = merge?.(value.peek(), frame);
    if (merged === undefined) reloadSoon();
    else put(merged);
  };
  const start = () => {
    const ends = topics.map((topic) => listen(topic, onFrame));
    void reload();
    ends.push(
      renewedSessions.subscribe(() => {
        if (problem.peek()?.status === 401) void reload();
      }),
      effect(() => {
        const ms = topics.length > 0 && liveState.value !== 'live' && liveState.value !== 'paused' ? POLL_MS : everyMs;
        if (ms === undefined || liveState.value === 'paused') return undefined;
        const timer = setInterval(() => {
          if (!isReading.peek()) void reload();
        }, ms);
        return () => clearInterval(timer);
      }),
    );
    return () => {
      for (const end of ends) end();
      clearTimeout(waiting);
      waiting = undefined;
      running?.abort();
    };
  };
  return { value, problem, isReading, at, reload: () => void reload(), start };
}

/**
 * A reading for as long as the component is shown.
 * @param key another key is another reading; undefined reads nothing
 */
export function useReading<Value>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Value>,
  options?: ReadingOptions<Value>,
): Reading<Value> {
  const reading = useMemo(() => createReading(read, options), [key]);
  useEffect(() => (key === undefined ? undefined : reading.start()), [reading]);
  return reading;
}
