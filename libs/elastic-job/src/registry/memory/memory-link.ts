import type { Clock } from '../../clock/index.js';
import { ownWait, type Waiter } from '../own-wait.js';
import type { RequestOptions } from '../registry-center.js';
import { RegistryUnavailableError } from '../registry.errors.js';
import { serverError } from '../request-errors.js';

/** Round-trip time in milliseconds, or a function that draws one per message. */
export type Latency = number | (() => number);

/** Answer of a server that has hung up. */
export const NO_ANSWER = Symbol('no answer');

/** The two directions of a link. */
export type LaneName = 'requests' | 'replies';

/**
 * The network between one client and the server. Each direction keeps its order, takes its time, and can be broken or
 * held up; messages in transit are lost when it breaks. While the client is frozen, its messages wait in its socket.
 * The client's server may lag behind like a follower of an ensemble: news come late, but before the answer to any later
 * request.
 */
export class MemoryLink {
  private readonly lanes: Readonly<Record<LaneName, Lane>>;
  /** News that the client's server has not received yet. */
  private readonly news: (() => void)[] = [];
  private isBroken = false;
  private isFrozen = false;

  /**
   * @param clock the network's clock, which goes on while a client stands still
   * @param latency 0 is one microtask each way
   * @param newsLag how far the client's server is behind the others
   */
  constructor(
    private readonly clock: Clock,
    latency: Latency,
    private readonly newsLag: Latency = 0,
  ) {
    this.lanes = { requests: new Lane(clock, latency), replies: new Lane(clock, latency) };
  }

  get broken(): boolean {
    return this.isBroken;
  }

  get frozen(): boolean {
    return this.isFrozen;
  }

  /** True if the network holds up a direction. */
  get cut(): boolean {
    return Object.values(this.lanes).some((lane) => lane.isHeldBy('network'));
  }

  /** Calls `arrive` at the server. */
  send(arrive: () => void): void {
    if (!this.isBroken) this.lanes.requests.carry(arrive);
  }

  /** Calls `arrive` at the client, after all news so far. */
  deliver(arrive: () => void): void {
    if (this.isBroken) return;
    this.catchUp(this.news.length);
    this.lanes.replies.carry(arrive);
  }

  /** Calls `arrive` at the client once the client's server has received the news. */
  notify(arrive: () => void): void {
    if (this.isBroken) return;
    const lagMs = typeof this.newsLag === 'number' ? this.newsLag : this.newsLag();
    if (lagMs === 0 && this.news.length === 0) return this.lanes.replies.carry(arrive);
    this.news.push(arrive);
    this.clock.setTimer(lagMs, () => this.catchUp(this.news.indexOf(arrive) + 1));
  }

  /** Makes a round trip: `answer` runs at the server, `receive` at the client. */
  ask<A>(answer: () => A | typeof NO_ANSWER, receive: (answer: A) => void): void {
    this.send(() => {
      const given = answer();
      if (given !== NO_ANSWER) this.deliver(() => receive(given));
    });
  }

  /** Drops messages in transit and carries nothing until it is mended. */
  break(): void {
    this.drop();
    this.isBroken = true;
  }

  mend(): void {
    this.isBroken = false;
  }

  /** Drops messages in transit. */
  drop(): void {
    this.news.length = 0;
    this.lanes.requests.drop();
    this.lanes.replies.drop();
  }

  /** Holds up messages in this direction until it is released. */
  hold(lane: LaneName): void {
    this.lanes[lane].hold('network');
  }

  /** Delivers the messages that were held up, at once and in order. */
  release(lane: LaneName): void {
    this.lanes[lane].release('network');
  }

  freeze(): void {
    this.isFrozen = true;
    this.lanes.replies.hold('client');
  }

  /** Delivers the messages that waited in the socket, at once and in order. */
  thaw(): void {
    this.isFrozen = false;
    this.lanes.replies.release('client');
  }

  private catchUp(count: number): void {
    for (const arrive of this.news.splice(0, count)) this.lanes.replies.carry(arrive);
  }
}

/** One direction. Messages never overtake each other, however long each one takes. */
class Lane {
  private inTransit: (() => void)[] = [];
  private arrived: (() => void)[] = [];
  private readonly holders = new Set<string>();
  private lastDue = 0;

  constructor(
    private readonly clock: Clock,
    private readonly latency: Latency,
  ) {}

  carry(arrive: () => void): void {
    const { inTransit } = this;
    inTransit.push(arrive);
    const next = () => {
      const message = inTransit.shift();
      if (message !== undefined) this.arrive(message);
    };
    const oneWayMs = (typeof this.latency === 'number' ? this.latency : this.latency()) / 2;
    const now = this.clock.monotonicNow();
    this.lastDue = Math.max(this.lastDue, now + oneWayMs);
    if (oneWayMs === 0) queueMicrotask(next);
    else this.clock.setTimer(this.lastDue - now, next);
  }

  hold(holder: string): void {
    this.holders.add(holder);
  }

  isHeldBy(holder: string): boolean {
    return this.holders.has(holder);
  }

  release(holder: string): void {
    this.holders.delete(holder);
    while (this.holders.size === 0 && this.arrived.length > 0) this.arrived.shift()!();
  }

  drop(): void {
    this.inTransit.length = 0;
    this.inTransit = [];
    this.arrived.length = 0;
  }

  private arrive(message: () => void): void {
    if (this.holders.size > 0) this.arrived.push(message);
    else message();
  }
}

/** Replaces an answer by an error code. The server may or may not have served the request. */
export class UnservedRequest {
  /** @param code ZooKeeper's error number */
  constructor(readonly code: number) {}
}

/** A client's requests without an answer so far. Each of them ends, with or without its answer. */
export class PendingRequests {
  /** Those that wait, and some that have given up, by the request as an error names it. */
  private readonly pending = new Map<Waiter<never>, string>();

  /** @param longestMs longest wait for an answer, for requests that set no limit */
  constructor(
    private readonly link: MemoryLink,
    private readonly clock: Clock,
    private readonly longestMs: number,
  ) {}

  /**
   * Sends a request. `answer` runs at the server, `receive` here, in the order of the link and before the promise
   * resolves.
   * @throws the error of an `UnservedRequest`
   * @throws {RegistryUnavailableError} with fate `unknown` if no answer came in time, or if `fail` is called first
   */
  send<A, T>(
    operation: string,
    answer: () => A | typeof NO_ANSWER,
    receive: (answer: A) => T,
    { signal, timeoutMs = this.longestMs }: RequestOptions = {},
  ): Promise<T> {
    return ownWait<T>(this.clock, operation, { signal, timeoutMs }, (waiter) => {
      this.pending.set(waiter, operation);
      this.link.ask(answer, (given) => {
        this.pending.delete(waiter);
        if (waiter.isOver) return;
        if (given instanceof UnservedRequest) return waiter.reject(serverError(given.code, operation));
        try {
          waiter.resolve(receive(given));
        } catch (error) {
          waiter.reject(error);
        }
      });
    });
  }

  /** Ends all requests without an answer. */
  fail(why: string): void {
    const all = [...this.pending];
    this.pending.clear();
    for (const [waiter, operation] of all) {
      if (!waiter.isOver) waiter.reject(new RegistryUnavailableError(operation, 'unknown', why));
    }
  }
}
