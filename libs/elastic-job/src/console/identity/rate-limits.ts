import type { Clock } from '../../clock/index.js';
import { type OptionRow, OptionTable, wholeFrom } from '../../domain/index.js';
import { type ConsoleCaller, ConsoleProblem } from '../contract/index.js';
import { networkOf } from './addresses.js';

/** How much may be asked. A limit holds in each process by itself. */
export interface ConsoleLimitOptions {
  /** Log-ins a minute for a name, the right ones too. @default 5 */
  readonly logInsPerName?: number;
  /** Log-ins a minute from an address, for IPv6 from its /64 network. @default 20 */
  readonly logInsPerAddress?: number;
  /** Changes a minute by a person. @default 60 */
  readonly changesPerMinute?: number;
  /** Reads a second by a person. @default 50 */
  readonly readsPerSecond?: number;
  /** Streams that are open at once. @default 200 */
  readonly streams?: number;
  /** Streams of a person that are open at once. @default 10 */
  readonly streamsPerPerson?: number;
}

/** Streams are counted where they are. */
const DEFAULTS: Required<Omit<ConsoleLimitOptions, 'streams' | 'streamsPerPerson'>> = {
  logInsPerName: 5,
  logInsPerAddress: 20,
  changesPerMinute: 60,
  readsPerSecond: 50,
};

export const LIMITS_TABLE = new OptionTable(
  {
    logInsPerName: { rule: wholeFrom(1) },
    logInsPerAddress: { rule: wholeFrom(1) },
    changesPerMinute: { rule: wholeFrom(1) },
    readsPerSecond: { rule: wholeFrom(1) },
    streams: { rule: wholeFrom(1) },
    streamsPerPerson: { rule: wholeFrom(1) },
  } satisfies Readonly<Record<keyof ConsoleLimitOptions, OptionRow>>,
  'the limits',
  'limits.',
);

const MINUTE_MS = 60_000;
const MOST_KEYS = 10_000;
/** The bucket of all keys that find no room for one of their own. */
const OTHERS = '';

/**
 * Buckets of tokens, one for each key. A bucket is one number: the time at which it will be full again.
 *
 * At most `MOST_KEYS` are kept. None is dropped before it is full again, or an attacker would get a new one by sending
 * many keys. Keys beyond those share a bucket meanwhile.
 */
class Buckets {
  private readonly fullAt = new Map<string, number>();
  private readonly tokenMs: number;

  constructor(
    private readonly clock: Pick<Clock, 'monotonicNow'>,
    count: number,
    private readonly periodMs: number,
  ) {
    this.tokenMs = periodMs / count;
  }

  /** Milliseconds until there is a token; 0 if there is one. */
  waitMs(key: string): number {
    const now = this.clock.monotonicNow();
    const fullAt = Math.max(now, this.fullAt.get(this.slotOf(key, now)) ?? now);
    // A part of a microsecond is an error of rounding.
    const waitMs = fullAt + this.tokenMs - this.periodMs - now;
    return waitMs > 0.001 ? waitMs : 0;
  }

  take(key: string): void {
    const now = this.clock.monotonicNow();
    const slot = this.slotOf(key, now);
    const fullAt = Math.max(now, this.fullAt.get(slot) ?? now);
    // Deleted first, so that the bucket which was used least recently stays in front.
    this.fullAt.delete(slot);
    this.fullAt.set(slot, fullAt + this.tokenMs);
  }

  private slotOf(key: string, now: number): string {
    if (this.fullAt.has(key)) return key;
    for (const [oldest, fullAt] of this.fullAt) {
      if (fullAt > now) break;
      this.fullAt.delete(oldest);
    }
    return this.fullAt.size < MOST_KEYS ? key : OTHERS;
  }
}

/**
 * Limits of log-ins, changes and reads, by name, address and person. All throw a problem 429 that says in `Retry-After`
 * when there is room.
 */
export class RateLimits {
  private readonly names: Buckets;
  private readonly addresses: Buckets;
  private readonly changes: Buckets;
  private readonly reads: Buckets;

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(clock: Pick<Clock, 'monotonicNow'>, options: ConsoleLimitOptions = {}) {
    const given = Object.entries(LIMITS_TABLE.checked('ElasticJobConsoleModule', options));
    const { logInsPerName, logInsPerAddress, changesPerMinute, readsPerSecond }: typeof DEFAULTS = {
      ...DEFAULTS,
      ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    };
    this.names = new Buckets(clock, logInsPerName, MINUTE_MS);
    this.addresses = new Buckets(clock, logInsPerAddress, MINUTE_MS);
    this.changes = new Buckets(clock, changesPerMinute, MINUTE_MS);
    this.reads = new Buckets(clock, readsPerSecond, 1_000);
  }

  /** Before the password is looked at: also the right one has to wait, or the limit would tell when it was found. */
  logIn(name: string, address: string): void {
    const network = networkOf(address);
    const waitMs = Math.max(this.names.waitMs(name), this.addresses.waitMs(network));
    if (waitMs > 0) throw tooMany('log-ins', waitMs);
    this.names.take(name);
    this.addresses.take(network);
  }

  change({ name }: Pick<ConsoleCaller, 'name'>): void {
    takeFrom(this.changes, name, 'changes');
  }

  read({ name }: Pick<ConsoleCaller, 'name'>): void {
    takeFrom(this.reads, name, 'reads');
  }
}

function takeFrom(buckets: Buckets, name: string, what: string): void {
  const waitMs = buckets.waitMs(name);
  if (waitMs > 0) throw tooMany(what, waitMs);
  buckets.take(name);
}

function tooMany(what: string, waitMs: number): ConsoleProblem {
  const seconds = Math.ceil(waitMs / 1_000);
  const detail = `There are too many ${what}. Try again in ${seconds} s.`;
  return new ConsoleProblem(429, 'TOO_MANY_REQUESTS', detail, {}, { 'retry-after': String(seconds) });
}
