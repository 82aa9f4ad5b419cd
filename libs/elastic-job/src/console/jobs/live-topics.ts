import type { JobName } from '../../domain/index.js';
import { isSeenBy } from '../audit/index.js';
import {
  type AuditEntry,
  type ConsoleCaller,
  ConsoleProblem,
  hasJobPrefix,
  type JobRow,
  seesJob,
} from '../contract/index.js';
import type { JobIndex } from './job-index.js';
import type { JobChange } from './job-view.js';

/** Most rows and items that a frame names. Of more it says only that there are more. */
const MOST_NAMED = 200;
const JOB = 'job:';
/** Stands for the state of the index among names of jobs. */
const STATE = 0;

/** Changes since a stream was told last. */
export interface Changed {
  /** Names of jobs, or numbers of items. */
  readonly named: ReadonlySet<JobName | number>;
  /** True if anything may have changed. */
  readonly isAll: boolean;
}

export const NOTHING: Changed = { named: new Set(), isAll: false };
export const ALL: Changed = { named: new Set(), isAll: true };

export function together(a: Changed, b: Changed): Changed {
  if (a.isAll || b.isAll) return ALL;
  if (a.named.size === 0) return b;
  if (b.named.size === 0) return a;
  const named = new Set([...a.named, ...b.named]);
  return named.size > MOST_NAMED ? ALL : { named, isAll: false };
}

export function isNothing({ isAll, named }: Changed): boolean {
  return !isAll && named.size === 0;
}

/** Something that streams tell of. */
export interface TopicSource {
  /**
   * The present state, read once for all streams.
   * @returns a function that makes the content of a frame for a stream that has to be told of these changes
   */
  readonly read: () => Promise<(changed: Changed) => object>;
  /** Begins to listen. @returns a function that ends it */
  readonly listen: (onChange: (changed: Changed) => void) => () => void;
}

/** Sources of all topics. */
export interface LiveFacts {
  readonly index: JobIndex;
  /** Tells each entry that is written, and again once it has ended. */
  readonly audit: { onChange(listener: (entry: AuditEntry) => void): () => void };
}

/** The source of a topic for a caller. @throws {ConsoleProblem} 400 for a topic that is none */
export function sourceOf(topic: string, caller: ConsoleCaller, { audit, index }: LiveFacts): TopicSource {
  if (topic === 'audit') return auditSource(caller, audit);
  if (topic === 'overview') return overviewSource(caller, index);
  if (topic === 'jobs') return jobsSource(caller, index);
  if (topic.startsWith(JOB)) return jobSource(topic.slice(JOB.length), index);
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'There is no such topic.', {
    fields: [{ field: 'topics', problem: 'must be overview, jobs, audit, or job: and the name of a job' }],
  });
}

/** The topic as all who see the same of it share it. */
export function keyOf(topic: string, { jobPrefix = '', name }: ConsoleCaller): string {
  if (jobOf(topic) !== undefined) return topic;
  // Of log-ins, those with a prefix see their own ones alone.
  return topic === 'audit' && jobPrefix !== '' ? `${topic} ${jobPrefix} ${name}` : `${topic} ${jobPrefix}`;
}

/** The job of a topic; undefined for a topic of no job. */
export function jobOf(topic: string): JobName | undefined {
  return topic.startsWith(JOB) ? topic.slice(JOB.length) : undefined;
}

/** A frame is an `OverviewAnswer`. */
function overviewSource(caller: ConsoleCaller, index: JobIndex): TopicSource {
  return {
    read: async () => {
      const overview = index.overview(caller);
      return () => overview;
    },
    listen: (onChange) => listenFor(caller, index, () => onChange(ALL)),
  };
}

/** A frame has the rows that have changed, names of jobs that are gone, and how far the index has come. */
function jobsSource(caller: ConsoleCaller, index: JobIndex): TopicSource {
  return {
    read: async () => {
      const state = index.state(caller);
      return ({ isAll, named }) => {
        const jobs = [...named].filter((one) => typeof one === 'string');
        const rows = jobs.flatMap((job): JobRow | readonly JobRow[] => index.row(job) ?? []);
        const gone = jobs.filter((job) => !index.has(job));
        // `more`: not all changes are named, so what is shown has to be read again.
        return { rows, gone, more: isAll, ...state };
      };
    },
    listen: (onChange) => listenFor(caller, index, (job) => onChange({ named: new Set([job ?? STATE]), isAll: false })),
  };
}

/** A frame has the jobs that entries are about that were written or have ended, or null if they may be about any. */
function auditSource(caller: ConsoleCaller, audit: LiveFacts['audit']): TopicSource {
  const { jobPrefix = '', name } = caller;
  return {
    read:
      async () =>
      ({ isAll, named }) => ({ jobs: isAll ? null : [...named] }),
    listen: (onChange) =>
      audit.onChange((entry) => {
        if (hasJobPrefix(caller) && !isSeenBy(entry, { jobPrefix, name })) return;
        const { job } = entry.target;
        onChange(job === undefined ? ALL : { named: new Set([job]), isAll: false });
      }),
  };
}

/** Hears of the caller's jobs alone: that others change would tell that there are others. */
function listenFor(caller: ConsoleCaller, index: JobIndex, listener: (job: JobName | undefined) => void) {
  return index.onChange((job) => {
    if (job === undefined || seesJob(caller, job)) listener(job);
  });
}

/** A frame has the row, or null once the job is gone, and the items that have changed, or null if all may have. */
function jobSource(job: JobName, index: JobIndex): TopicSource {
  const open = index.open(job);
  return {
    read: async () => {
      const row = await open.row().catch((error: unknown) => {
        if (error instanceof ConsoleProblem && error.status === 404) return null;
        throw error;
      });
      return ({ isAll, named }) => {
        const items = [...named].filter((one) => typeof one === 'number');
        return { job, row, items: isAll ? null : items.toSorted((a, b) => a - b), stale: index.isStale };
      };
    },
    listen: (onChange) => {
      const stop = open.onChange((change) => onChange(changedBy(change)));
      return () => {
        stop();
        open.close();
      };
    },
  };
}

function changedBy(change: JobChange): Changed {
  if (change === 'all') return ALL;
  return { named: new Set([change]), isAll: false };
}
