// Covered by test/scenario/sharded-runs.spec.ts
import type { ExecutionLease, JobTreeEvent } from '../../coordination/index.js';
import type { RefusalCause, Trigger } from '../../domain/index.js';

/** What becomes of leases. */
type LeaseNews =
  /** `former` has, by item, the instant after which it owed what has come. */
  | { readonly kind: 'ItemsBegun'; readonly trigger: Trigger; readonly former: ReadonlyMap<number, number | undefined> }
  | { readonly kind: 'ItemsRefused'; readonly refused: ReadonlyMap<number, RefusalCause> }
  /** Its items run from now on. */
  | { readonly kind: 'LeaseRuns'; readonly lease: ExecutionLease }
  /** The item is free again here. */
  | { readonly kind: 'ItemEnded'; readonly trigger: Trigger; readonly item: number }
  /** The item is free again here, and the session in which it was begun is over. */
  | { readonly kind: 'ItemOutlivedSession' };

/** What one part of a job's session tells the others. */
type DutyNews =
  /** Items may be free, owed or queued: each duty looks for what it has to begin. */
  | { readonly kind: 'WorkExpected' }
  /** This instance has claimed what it could; an item may be owed to nobody now. */
  | { readonly kind: 'QueueClaimed' }
  /** Of the operators' triggers that wait, all is begun that could be. */
  | { readonly kind: 'TriggersBegun' }
  /** Marks were found whose holder is not registered. */
  | { readonly kind: 'SweepNeeded' }
  /** Fire times that nobody has begun, and nobody will. `count` is fire times, times items. */
  | { readonly kind: 'FireTimesMissed'; readonly count: number };

/** What happens to one job during one session: what its tree tells, and what this instance makes of it. */
type JobNews = JobTreeEvent | LeaseNews | DutyNews;

type NewsByKind = { readonly [News in JobNews as News['kind']]: News };
// `kind` is said twice: so the compiler sees that what is found under a kind hears news of that kind.
type NewsOf<Kind extends keyof NewsByKind> = { readonly [K in Kind]: { readonly kind: K } & NewsByKind[K] }[Kind];

/** What somebody hears: for each kind of news that it names, what follows from it. */
export type Hearing = { readonly [Kind in keyof NewsByKind]?: (news: NewsOf<Kind>) => void };

/**
 * Hearers of certain classes in a certain order, and which of them hear a kind of news. A hearer that is no literal
 * hears what its class does, so all jobs share a few of these: a table of its own would be a large part of a job.
 */
export class Audience {
  private readonly larger = new Map<unknown, Audience>();
  private readonly byKind = new Map<keyof NewsByKind, readonly number[]>();

  /** The audience with one hearer more. */
  joinedBy(hearer: Hearing): Audience {
    const known = this.larger.get(hearer.constructor);
    if (known !== undefined) return known;
    const larger = new Audience();
    this.larger.set(hearer.constructor, larger);
    return larger;
  }

  /** The places of those that hear the kind of news. @param hearers any of this audience */
  placesOf(kind: keyof NewsByKind, hearers: readonly Hearing[]): readonly number[] {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const places = [...hearers.keys()].filter((place) => hearers[place]![kind] !== undefined);
    this.byKind.set(kind, places);
    return places;
  }
}

/** Hands the news of one session to those that hear its kind, in the order in which they have come. */
export class JobNewsFeed {
  private readonly hearers: Hearing[] = [];

  /** @param audience without hearers, shared by the feeds whose hearers are of the same classes */
  constructor(private audience = new Audience()) {}

  on(hearer: Hearing): void {
    this.hearers.push(hearer);
    this.audience = this.audience.joinedBy(hearer);
  }

  tell<Kind extends keyof NewsByKind>(news: NewsOf<Kind>): void {
    const { hearers } = this;
    for (const place of this.audience.placesOf(news.kind, hearers)) hearers[place]![news.kind]?.(news);
  }
}
