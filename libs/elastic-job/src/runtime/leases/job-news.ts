import type { ExecutionLease, JobTreeEvent } from '../../coordination/index.js';
import type { RefusalCause, SettledOutcome, Trigger } from '../../domain/index.js';

/** News of leases. */
type LeaseNews =
  /** `former` holds, by item, the instant after which it owed fire times. */
  | { readonly kind: 'ItemsBegun'; readonly trigger: Trigger; readonly former: ReadonlyMap<number, number | undefined> }
  | { readonly kind: 'ItemsRefused'; readonly refused: ReadonlyMap<number, RefusalCause> }
  /** The items of the lease run from now on. */
  | { readonly kind: 'LeaseRuns'; readonly lease: ExecutionLease }
  /** The run of the item has been settled. */
  | { readonly kind: 'ItemSettled'; readonly item: number; readonly outcome: SettledOutcome['kind'] }
  /** The item is free again here. */
  | { readonly kind: 'ItemEnded'; readonly trigger: Trigger; readonly item: number }
  /** The item is free again here, but the session in which it was begun is over. */
  | { readonly kind: 'ItemOutlivedSession' };

/** News that parts of a job's session tell each other. */
type DutyNews =
  /** Items may be free, owed or queued, so each duty looks for items to begin. */
  | { readonly kind: 'WorkExpected' }
  /** This instance has claimed all it could. An item may have no waiting claim any more. */
  | { readonly kind: 'QueueClaimed' }
  /** Waiting operators' triggers have begun all they could. */
  | { readonly kind: 'TriggersBegun' }
  /** Marks were found whose holder is not registered. */
  | { readonly kind: 'SweepNeeded' }
  /** Fire times were missed for good. `count` is fire times, times items. */
  | { readonly kind: 'FireTimesMissed'; readonly count: number };

/** All news of one job during one session: events of its tree, and their consequences in this instance. */
type JobNews = JobTreeEvent | LeaseNews | DutyNews;

type NewsByKind = { readonly [News in JobNews as News['kind']]: News };
// `kind` appears twice so that the compiler knows that a hearer found under a kind takes news of that kind.
type NewsOf<Kind extends keyof NewsByKind> = { readonly [K in Kind]: { readonly kind: K } & NewsByKind[K] }[Kind];

/** A hearer: one method for each kind of news that it names. */
export type Hearing = { readonly [Kind in keyof NewsByKind]?: (news: NewsOf<Kind>) => void };

/**
 * Hearers of certain classes in a certain order, and the kinds of news they hear. A hearer that is not an object
 * literal hears what its class does, so all jobs share a few of these objects. A table for each job would be a large
 * part of it.
 */
export class Audience {
  private readonly larger = new Map<unknown, Audience>();
  private readonly byKind = new Map<keyof NewsByKind, readonly number[]>();

  /** The audience with one more hearer. */
  joinedBy(hearer: Hearing): Audience {
    const known = this.larger.get(hearer.constructor);
    if (known !== undefined) return known;
    const larger = new Audience();
    this.larger.set(hearer.constructor, larger);
    return larger;
  }

  /** Places of the hearers of this kind of news. @param hearers the hearers of any feed with this audience */
  placesOf(kind: keyof NewsByKind, hearers: readonly Hearing[]): readonly number[] {
    const known = this.byKind.get(kind);
    if (known !== undefined) return known;
    const places = [...hearers.keys()].filter((place) => hearers[place]![kind] !== undefined);
    this.byKind.set(kind, places);
    return places;
  }
}

/** Passes the news of one session to the hearers of its kind, in the order in which it came. */
export class JobNewsFeed {
  private readonly hearers: Hearing[] = [];

  /** @param audience empty at first, and shared by feeds whose hearers have the same classes */
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
