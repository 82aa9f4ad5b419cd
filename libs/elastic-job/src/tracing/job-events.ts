import { inOwnContext, publicCalls } from '../async-context/index.js';
import { sharedClass } from '../copies/index.js';
import { ConfigurationError, handleLateReason, handleRejection, readable, show } from '../domain/index.js';
import { jobNameOf } from './job-event.catalogue.js';
import type { JobEvent, JobEventListener } from './job-event.js';

interface NamedListener {
  readonly listener: JobEventListener;
  readonly name: string;
}

/** An event that is being delivered, or waits for that. */
interface Delivery {
  readonly event: JobEvent;
  /** 0 for an event of a job, and one more than the event at which a listener has emitted this one. */
  readonly round: number;
  /** Set for the report of a listener's failure. */
  readonly report?: { readonly failed: NamedListener; readonly at: JobEvent['kind'] };
}

/** Answers to answers to an event are delivered, and no further ones: listeners would answer each other for ever. */
const MOST_ROUNDS = 2;

/**
 * Passes events to listeners. An error or rejection of a listener affects neither the job nor the other listeners: it
 * is reported as an `error` event. Events that listeners emit while they hear one are delivered after it.
 */
@sharedClass('JobEvents')
@publicCalls()
export class JobEvents {
  private readonly listeners = new Map<object, NamedListener>();
  private readonly waiting: Delivery[] = [];
  private delivering: Delivery | undefined;
  private called: NamedListener | undefined;
  private hasDropped = false;

  /**
   * Calls the listener at each event of any kind. For one kind, compare its `kind`, or write `@OnJobEvent`.
   * @param name of the listener, for the message if it fails
   * @returns a function that removes the listener
   * @throws {ConfigurationError} if the listener is no function
   */
  on(listener: JobEventListener, name = 'a listener'): () => void {
    assertListens(listener, name);
    const key = {};
    this.listeners.set(key, { listener, name });
    return () => void this.listeners.delete(key);
  }

  /** Delivers no more events from now on. */
  silence(): void {
    this.listeners.clear();
  }

  /** Freezes the event, with its lists and records: no listener can change what a run goes on with. */
  emit(emitted: JobEvent): void {
    const event = freezeGiven('error' in emitted ? { ...emitted, error: readable(emitted.error) } : emitted);
    const round = this.nextRound;
    if (round <= MOST_ROUNDS) this.deliverWithReason({ event, round });
    else this.drop();
  }

  private get nextRound(): number {
    return this.delivering === undefined ? 0 : this.delivering.round + 1;
  }

  private deliver(delivery: Delivery): void {
    if (this.delivering !== undefined) return void this.waiting.push(delivery);
    try {
      this.delivering = delivery;
      do this.deliverToAll(this.delivering);
      while ((this.delivering = this.waiting.shift()) !== undefined);
    } finally {
      this.delivering = undefined;
    }
  }

  // A listener that fails at an `error` event does not get the report of that, and failures at these reports are not
  // reported, or failing listeners would report each other for ever.
  private deliverToAll({ event, report }: Delivery): void {
    for (const named of this.listeners.values()) {
      if (report?.at === 'error' && report.failed === named) continue;
      this.called = named;
      call(named, event, report === undefined ? (error) => this.report(named, event, error) : () => {});
    }
  }

  private report(failed: NamedListener, { kind }: JobEvent, error: unknown): void {
    const message = `${failed.name} failed at a "${kind}" event`;
    const event: JobEvent = freezeGiven({ kind: 'error', jobName: undefined, message, error });
    this.deliverWithReason({ event, round: this.nextRound, report: { failed, at: kind } });
  }

  /**
   * Delivers it, and later the reason of a promise that was thrown. The later event is delivered in the same round, so
   * answers to it end as answers to the first one would.
   */
  private deliverWithReason(delivery: Delivery): void {
    const { event } = delivery;
    this.deliver(delivery);
    if (!('error' in event)) return;
    const jobName = jobNameOf(event);
    const message = 'the promise that was thrown has rejected';
    handleLateReason(event.error, (error) =>
      this.deliver({ ...delivery, event: freezeGiven({ kind: 'error', jobName, message, error }) }),
    );
  }

  private drop(): void {
    if (this.hasDropped) return;
    this.hasDropped = true;
    const own = 'emits an event at each one that it hears; those at answers of answers are dropped';
    const message = `${this.called?.name} ${own}`;
    this.deliver({ event: freezeGiven({ kind: 'warning', jobName: undefined, message }), round: MOST_ROUNDS });
  }
}

/** A name of an event in the place of the listener would be a listener that fails at each event. */
function assertListens(listener: unknown, name: unknown): void {
  const hint =
    typeof listener === 'string' ? '; compare the kind of the events that it hears, or write @OnJobEvent' : '';
  if (typeof listener !== 'function') refuse(`the listener must be a function, but is ${show(listener)}${hint}`);
  if (typeof name !== 'string') refuse(`the name of the listener must be a text, but is ${show(name)}`);
}

function refuse(problem: string): never {
  throw new ConfigurationError('JobEvents.on', [problem]);
}

/** Calls a listener. Its failure, also by a promise, is given to `onError`, and can be read. */
function call({ listener }: NamedListener, event: JobEvent, onError: (error: unknown) => void): void {
  const fail = (error: unknown): void => onError(readable(error));
  try {
    handleRejection(
      inOwnContext(() => listener(event)),
      fail,
    );
  } catch (error) {
    fail(error);
  }
}

/** Fields with what users' code has thrown, which is not ours to freeze. */
const THROWN: readonly string[] = ['error', 'reason'];

/**
 * Freezes what listeners, sinks and tracers are given, and each list and record in it. The run goes on with the same
 * trigger, items and outcomes, so none of them may change these. Thrown values stay as they are, and so do maps, which
 * cannot be frozen: no run goes on with one.
 */
export function freezeGiven<Given extends object>(given: Given): Given {
  // Each event comes here: `for...in` takes half the time of `Object.entries`.
  for (const name in given) {
    const part = given[name];
    if (typeof part === 'object' && !THROWN.includes(name)) Object.freeze(part);
  }
  return Object.freeze(given);
}
