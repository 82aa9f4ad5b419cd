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

const NOBODY: readonly Hearing[] = [];

/** Hands the news of one session to those that hear its kind, in the order in which they have come. */
export class JobNewsFeed {
  private readonly hearings: Hearing[] = [];
  // Most news interest one or two of a dozen duties, and a job at rest has heard few kinds.
  private readonly byKind = new Map<keyof NewsByKind, readonly Hearing[]>();

  on(hears: Hearing): void {
    this.hearings.push(hears);
    this.byKind.clear();
  }

  tell<Kind extends keyof NewsByKind>(news: NewsOf<Kind>): void {
    for (const hears of this.byKind.get(news.kind) ?? this.find(news.kind)) hears[news.kind]?.(news);
  }

  private find(kind: keyof NewsByKind): readonly Hearing[] {
    const found = this.hearings.filter((hears) => hears[kind] !== undefined);
    // A copy has no room to grow, which a filtered list keeps.
    const kept = found.length === 0 ? NOBODY : found.slice();
    this.byKind.set(kind, kept);
    return kept;
  }
}
