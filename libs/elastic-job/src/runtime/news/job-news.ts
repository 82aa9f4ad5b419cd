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

/** News from one part of a job's session to the others. */
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
export type JobNews = JobTreeEvent | LeaseNews | DutyNews;

type NewsByKind = { readonly [One in JobNews as One['kind']]: One };

/**
 * News of some kinds. The kind appears twice so that the compiler knows that an entry of a table, found under a kind,
 * takes news of that kind.
 */
export type News<Kind extends JobNews['kind']> = {
  readonly [K in Kind]: { readonly kind: K } & NewsByKind[K];
}[Kind];

/** The news of one session, for the parts that emit them. `RECEIVERS` has the receivers of each kind. */
export interface NewsEmitter {
  emit<Kind extends JobNews['kind']>(news: News<Kind>): void;
}
