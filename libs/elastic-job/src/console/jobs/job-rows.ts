import type { JobName } from '../../domain/index.js';
import { type ConsoleCaller, type IndexState, isoOf, seesJob } from '../contract/index.js';
import { type IndexedJob, jobRow } from './indexed-job.js';

/** Nodes of a job that was not read yet: ten items. */
const USUAL_NODES = 50;

/** A name below the namespace. */
interface Entry {
  /** Undefined: it was not read yet, or is no job. */
  indexed: IndexedJob | undefined;
  /** True for a node without `config`: it is no job, or not yet. */
  isForeign: boolean;
  /** When it was read last, or could not be read, on the monotonic clock; undefined: it was not. */
  triedAt: number | undefined;
  /** When the reading began that `indexed` is of, on the monotonic clock. */
  begunAt: number;
}

/** The index, as far as a caller may see it. */
export interface SeenJobs {
  /** In the order of their names. */
  readonly jobs: readonly IndexedJob[];
  /** Those that were not read yet included. */
  readonly total: number;
  readonly state: Omit<IndexState, 'stale'>;
}

/** The names below the namespace with what is known of each, in the order in which they are to be read. */
export class JobRows {
  /** The one that was tried longest ago comes first. */
  private readonly entries = new Map<JobName, Entry>();
  private readonly unread = new Set<JobName>();
  private sorted: readonly JobName[] = [];

  /** @returns the names that are gone */
  setNames(names: readonly JobName[]): readonly JobName[] {
    const present = new Set(names);
    const gone = this.sorted.filter((name) => !present.has(name));
    for (const name of gone) {
      this.entries.delete(name);
      this.unread.delete(name);
    }
    for (const name of names) {
      if (this.entries.has(name)) continue;
      this.entries.set(name, { indexed: undefined, isForeign: false, triedAt: undefined, begunAt: -Infinity });
      this.unread.add(name);
    }
    this.sorted = names;
    return gone;
  }

  has(job: JobName): boolean {
    return this.entries.get(job)?.isForeign === false;
  }

  /** True for a name that is there, job or not. */
  knows(name: string): boolean {
    return this.entries.has(name);
  }

  /** When the job was read last, or could not be read, on the monotonic clock. */
  triedAt(job: JobName): number {
    return this.entries.get(job)?.triedAt ?? -Infinity;
  }

  get(job: JobName): IndexedJob | undefined {
    return this.entries.get(job)?.indexed;
  }

  /**
   * @param indexed undefined: it is no job
   * @param begunAt when the reading began, on the monotonic clock
   * @returns false for a name that is gone, and for what is older than what is known
   */
  put(job: JobName, indexed: IndexedJob | undefined, begunAt: number): boolean {
    const entry = this.entries.get(job);
    if (entry === undefined || begunAt < entry.begunAt) return false;
    // Java creates the node of a job before its `config`, so what is no job at first is read again soon.
    if (indexed !== undefined || entry.isForeign) this.unread.delete(job);
    entry.indexed = indexed;
    entry.isForeign = indexed === undefined;
    entry.begunAt = begunAt;
    return true;
  }

  /** Puts the names behind all others, before they are read: what fails keeps nobody waiting. */
  noteTry(jobs: readonly JobName[], now: number): void {
    for (const job of jobs) {
      const entry = this.entries.get(job);
      if (entry === undefined) continue;
      this.entries.delete(job);
      this.entries.set(job, { ...entry, triedAt: now });
    }
  }

  /**
   * Names that are to be read next: as many as make up so many nodes, and at least one if any is due.
   * @param among only these; all of them by default
   * @param triedBefore those that were tried after it are not due yet
   */
  due(mostNodes: number, triedBefore: number, among?: Iterable<JobName>): readonly JobName[] {
    if (among === undefined) {
      const unread = this.due(mostNodes, triedBefore, this.unread);
      return unread.length > 0 ? unread : this.due(mostNodes, triedBefore, this.oldest(triedBefore));
    }
    const jobs: JobName[] = [];
    let nodes = 0;
    for (const job of among) {
      const entry = this.entries.get(job);
      if (entry === undefined || (entry.triedAt ?? -Infinity) > triedBefore) continue;
      jobs.push(job);
      nodes += entry.indexed?.nodes ?? USUAL_NODES;
      if (nodes >= mostNodes) break;
    }
    return jobs;
  }

  /** True if one of the jobs was not tried yet. */
  hasNew(jobs: readonly JobName[]): boolean {
    return jobs.some((job) => this.entries.get(job)?.triedAt === undefined);
  }

  private *oldest(triedBefore: number): Generator<JobName, void> {
    for (const [job, { triedAt = -Infinity }] of this.entries) {
      if (triedAt > triedBefore) return;
      yield job;
    }
  }

  /** Number of nodes that a reading of the jobs takes. */
  nodesOf(jobs: readonly JobName[]): number {
    return jobs.reduce((nodes, job) => nodes + (this.get(job)?.nodes ?? USUAL_NODES), 0);
  }

  seenBy(caller: Pick<ConsoleCaller, 'jobPrefix'>): SeenJobs {
    const jobs: IndexedJob[] = [];
    let total = 0;
    let oldest = Infinity;
    for (const name of this.sorted) {
      if (!seesJob(caller, name)) continue;
      const { indexed, isForeign } = this.entries.get(name)!;
      if (!isForeign) total += 1;
      if (indexed === undefined) continue;
      jobs.push(indexed);
      oldest = Math.min(oldest, indexed.readAt);
    }
    return { jobs, total, state: { indexed: jobs.length, asOf: oldest === Infinity ? null : isoOf(oldest) } };
  }
}

const NOBODY: Pick<IndexedJob, 'instances'> = { instances: [] };

/** True if row and instances show the same, whenever they were read. */
export function showsSame(a: IndexedJob | undefined, b: IndexedJob | undefined, now: number): boolean {
  const shown = (job: IndexedJob | undefined) => job && JSON.stringify({ ...jobRow(job, now), asOf: '' });
  return hasSameInstances(a, b) && shown(a) === shown(b);
}

/** True if the same instances are there, and those leave that did before. */
function hasSameInstances({ instances: a } = NOBODY, { instances: b } = NOBODY): boolean {
  return (
    a.length === b.length &&
    a.every(({ drainingSince, id }, index) => id === b[index]?.id && drainingSince === b[index].drainingSince)
  );
}
