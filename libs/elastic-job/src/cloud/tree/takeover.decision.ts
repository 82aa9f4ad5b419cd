import type { JobName } from '../../domain/index.js';
import type { CloudJobConfiguration } from './cloud-jobs.js';
import type { ReadCloudNode } from './cloud-form.js';
import { parseMetaInfo } from './cloud-paths.js';

/** Nodes that ElasticJob-Cloud's schedulers have left for a job. */
interface CloudLeftovers {
  readonly jobName: JobName;
  /** Undefined if it is not registered. */
  readonly configuration: ReadCloudNode<CloudJobConfiguration> | undefined;
  /** The text of its ready counter; undefined if there is none. */
  readonly ready: string | undefined;
  /** The names of its failover entries. */
  readonly failover: readonly string[];
  /** The names of its running entries. */
  readonly running: readonly string[];
}

/** Runs that a job owes when it is taken over. */
export interface CloudDebts {
  /** Number of fire times that its items still owe. */
  readonly runs: number;
  /** Items whose task has died, ascending: each is run once more. */
  readonly items: readonly number[];
}

/** Findings of a takeover, for people and events. */
export type TakeoverEvent =
  | { readonly kind: 'runs-owed'; readonly jobName: JobName; readonly runs: number }
  | { readonly kind: 'items-queued'; readonly jobName: JobName; readonly items: readonly number[] }
  | {
      readonly kind: 'dropped';
      readonly jobName: JobName;
      readonly what: 'ready' | 'failover' | 'running';
      /** The counter's text, or the names of the entries. */
      readonly found: readonly string[];
      readonly because: DropReason;
    }
  /** Its configuration is not valid: everything stays until it is corrected and the takeover is repeated. */
  | { readonly kind: 'left'; readonly jobName: JobName; readonly problems: readonly string[] }
  | { readonly kind: 'disable-kept'; readonly of: 'app' | 'job'; readonly name: string };

/**
 * - `unknown-job`: no such job is registered;
 * - `daemon`: a daemon is started anyway, in all its items;
 * - `unreadable`: it has no number, or no item of the job;
 * - `task-gone`: no task of Mesos is left.
 */
type DropReason = 'unknown-job' | 'daemon' | 'unreadable' | 'task-gone';

type TakeoverDecision =
  | { readonly kind: 'take'; readonly debts: CloudDebts; readonly events: readonly TakeoverEvent[] }
  | { readonly kind: 'leave'; readonly events: readonly TakeoverEvent[] };

/**
 * Decides on the leftovers of a job. A ready counter of n is n runs; without `misfire` ElasticJob-Cloud never counts
 * beyond one. Items that wait for failover are queued once.
 */
export function decideTakeover(leftovers: CloudLeftovers): TakeoverDecision {
  const { jobName, configuration } = leftovers;
  if (configuration === undefined) return dropAll(leftovers, 'unknown-job');
  if (configuration.kind === 'faulty') {
    return { kind: 'leave', events: [{ kind: 'left', jobName, problems: configuration.problems }] };
  }
  if (configuration.configuration.jobExecutionType === 'DAEMON') return dropAll(leftovers, 'daemon');
  return takeTransient(leftovers, configuration.configuration);
}

function takeTransient(
  { jobName, ready, failover, running }: CloudLeftovers,
  { misfire, shardingTotalCount }: CloudJobConfiguration,
): TakeoverDecision {
  const counted = ready === undefined ? 0 : runsIn(ready);
  const runs = misfire ? (counted ?? 0) : Math.min(counted ?? 0, 1);
  const entries = failover.map((name) => ({ name, item: itemIn(name, jobName, shardingTotalCount) }));
  const known = entries.flatMap(({ item }) => (item === undefined ? [] : [item]));
  const items = [...new Set(known)].toSorted((a, b) => a - b);
  const unreadable = entries.flatMap(({ name, item }) => (item === undefined ? [name] : []));
  return {
    kind: 'take',
    debts: { runs, items },
    events: [
      ...(runs > 0 ? [{ kind: 'runs-owed', jobName, runs } as const] : []),
      ...(items.length > 0 ? [{ kind: 'items-queued', jobName, items } as const] : []),
      ...dropped(jobName, 'ready', counted === undefined ? [ready ?? ''] : [], 'unreadable'),
      ...dropped(jobName, 'failover', unreadable, 'unreadable'),
      ...dropped(jobName, 'running', running, 'task-gone'),
    ],
  };
}

function dropAll({ jobName, ready, failover, running }: CloudLeftovers, because: DropReason): TakeoverDecision {
  return {
    kind: 'take',
    debts: { runs: 0, items: [] },
    events: [
      ...dropped(jobName, 'ready', ready === undefined ? [] : [ready], because),
      ...dropped(jobName, 'failover', failover, because),
      ...dropped(jobName, 'running', running, because),
    ],
  };
}

function dropped(
  jobName: JobName,
  what: 'ready' | 'failover' | 'running',
  found: readonly string[],
  because: DropReason,
): readonly TakeoverEvent[] {
  return found.length === 0 ? [] : [{ kind: 'dropped', jobName, what, found, because }];
}

/** The number in a ready counter; undefined if there is none. */
function runsIn(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The item that a failover entry names. */
function itemIn(name: string, jobName: JobName, total: number): number | undefined {
  const meta = parseMetaInfo(name);
  const [item, ...more] = meta?.items ?? [];
  const isOfJob = meta?.jobName === jobName && item !== undefined && item < total && more.length === 0;
  return isOfJob ? item : undefined;
}
