import type { JobName } from '../../domain/index.js';
import type { ConsoleCaller, JobRow } from '../contract/index.js';
import { ConsoleProblem, seesJob } from '../contract/index.js';
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

/** The source of a topic for a caller. @throws {ConsoleProblem} 404 for a job that the caller has not, 400 */
export function sourceOf(topic: string, caller: ConsoleCaller, index: JobIndex): TopicSource {
  if (topic === 'overview') return overviewSource(caller, index);
  if (topic === 'jobs') return jobsSource(caller, index);
  if (topic.startsWith(JOB)) return jobSource(topic.slice(JOB.length), index);
  throw new ConsoleProblem(400, 'INVALID_ARGUMENT', 'There is no such topic.', {
    fields: [{ field: 'topics', problem: 'must be overview, jobs, or job: and the name of a job' }],
  });
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
