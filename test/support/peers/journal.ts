/** A message of a peer of either kind. */
export interface Told {
  /**
   * `begun` and `ended` for an item, `all-started` and `all-completed` for a distribute-once listener, `runtime` for an
   * event of our runtime, `stalled` where the processor came late.
   */
  readonly event: string;
  /** By the peer's wall clock, which is this host's: milliseconds since the epoch. */
  readonly at: number;
  readonly job?: string;
  readonly item?: number;
  /** Context of the handler, as far as the kind has it. */
  readonly context?: { readonly fireTime?: number; readonly source?: string; readonly taskId: string };
  /** Reason why the item failed. */
  readonly failed?: string;
  /** Kind of a runtime's event. */
  readonly kind?: string;
  readonly items?: readonly number[];
  readonly message?: string;
  /** Reason why something was refused or left out. */
  readonly cause?: string;
  readonly reason?: string;
  /** Time that a second took, in milliseconds, for `stalled`. */
  readonly tookMs?: number;
  /** Text of a runtime under chaos, unchanged. */
  readonly text?: string;
}

export interface PeerEvent extends Told {
  /** The peer's name in the test. */
  readonly peer: string;
}

const LIMIT_MS = 20_000;
const SHOWN = 40;
const AFTER_BEGIN = ['started', 'ended', 'settled', 'finished'];

/** All messages of the peers of one test, in the order of their arrival. */
export class Journal {
  readonly #events: PeerEvent[] = [];
  #wake = new Set<() => void>();

  get events(): readonly PeerEvent[] {
    return this.#events;
  }

  add(event: PeerEvent): void {
    this.#events.push(event);
    this.nudge();
  }

  /** Makes waiting conditions look again. */
  nudge(): void {
    const waiting = this.#wake;
    this.#wake = new Set();
    for (const wake of waiting) wake();
  }

  /** The items that have begun since a mark, of all peers or of one. */
  begun(peer?: string, since = 0): readonly PeerEvent[] {
    return this.#events
      .slice(since)
      .filter((event) => event.event === 'begun' && (peer === undefined || event.peer === peer));
  }

  /** A point in the journal. Later messages come after it. */
  get mark(): number {
    return this.#events.length;
  }

  /**
   * Checks now and after each event or change of the tree, until the condition returns a true value.
   * @throws with the last events, if the limit passes before
   */
  async until<T>(what: string, condition: () => T | undefined | false, limitMs = LIMIT_MS): Promise<T> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const found = condition();
      if (found !== undefined && found !== false) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`Not in ${limitMs} ms: ${what}.\n${this.tail()}`);
      await this.#next(leftMs);
    }
  }

  /** Resolves when that many milliseconds have passed. @throws if one of the events comes before */
  async stays(what: string, breaks: (event: PeerEvent) => boolean, ms: number): Promise<void> {
    const since = this.mark;
    const end = performance.now() + ms;
    for (let leftMs = ms; leftMs > 0; leftMs = end - performance.now()) {
      await this.#next(leftMs);
      const against = this.#events.slice(since).find(breaks);
      if (against) throw new Error(`Not so for ${ms} ms: ${what}; there was: ${describe(against)}\n${this.tail()}`);
    }
  }

  /**
   * Resolves when none of these events came for that many milliseconds. Some may come before, of work under way.
   * @throws if they go on beyond the limit
   */
  async ceases(what: string, comes: (event: PeerEvent) => boolean, ms: number, limitMs = LIMIT_MS): Promise<void> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      try {
        return await this.stays(what, comes, ms);
      } catch (error) {
        if (performance.now() >= deadline) throw error;
      }
    }
  }

  /** Resolves when each of the items has begun again, from now. */
  async untilAllRun(items: readonly number[], limitMs?: number): Promise<void> {
    const since = this.mark;
    await this.until(
      `items ${items.join()} run`,
      () => {
        const begun = new Set(this.begun(undefined, since).map(({ item }) => item));
        return items.every((item) => begun.has(item));
      },
      limitMs,
    );
  }

  /** The last events, for messages. */
  tail(): string {
    return this.#events.slice(-SHOWN).map(describe).join('\n');
  }

  /** Messages in a span of time by the peers' clocks, without those that follow each begin. For error messages. */
  between(from: number, to: number): string {
    return this.#events
      .filter(({ at, event, kind = event }) => at >= from && at < to && !AFTER_BEGIN.includes(kind))
      .map(describe)
      .join('\n');
  }

  #next(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(wake, limitMs);
      const waiting = this.#wake;
      function wake(): void {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      }
      waiting.add(wake);
    });
  }
}

function describe({ peer, event, at, item, items, failed, kind, message, cause, reason, tookMs }: PeerEvent): string {
  const about = [kind, item ?? items, failed, message, cause, reason, tookMs]
    .filter((each) => each != null)
    .map(String);
  return `${new Date(at).toISOString().slice(11)} ${peer} ${event} ${about.join(' ')}`;
}
