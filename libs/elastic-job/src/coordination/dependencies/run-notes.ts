/**
 * Rules by which runs of a job start other jobs.
 *
 * State: at the parent, `dependents/{child}` names a job that starts after it, and the data of `dependents` holds the
 * expected items that have succeeded, by fire time. At the child, the data of `after` names its parents, the parents
 * that have succeeded while others have not yet, and the last starts.
 *
 * Guarantees: the transaction that settles an item counts it, against the version of `dependents`. The one that
 * completes a run also enters that at each child, against the version of `after`; with the last parent this is the
 * child's start. So a start exists exactly once, and exactly if all items of all parents have succeeded for its fire
 * time. It is a target of the child like any fire time of a schedule: an item begins it by the compare-and-set of every
 * begin, and owes it while its record is older, regardless of crashes, moves and joins. An item is expected if an
 * instance that has begun a part of the run took it for enabled. So a disabled item holds nothing back, but one that is
 * disabled, or cut off by a smaller total, during the run still does.
 *
 * An item that fails for good closes the run: nothing starts after it. A complete run closes earlier ones, since items
 * begin their fire times in order, so that an earlier incomplete run never completes (`superseded`).
 *
 * Failures: a refused count means that another instance has settled or started meanwhile. The refused node is read
 * again, and an instance that is refused repeatedly counts alone for once (`CountingLock`). After a lost reply the
 * records show if the whole transaction was applied. A holder that dies has counted nothing: its item's failover
 * counts, or the item is never counted. A child without `after` was removed, and its name at the parent is removed too.
 * Whoever writes into the namespace may write any name: one whose `after` does not name this job starts nothing, and is
 * not reported.
 */
import { type Clock, hostTime, type ScheduleTime } from '../../clock/index.js';
import {
  formatParentProgress,
  formatStartLedger,
  type ItemSet,
  itemSetOf,
  type JobConfiguration,
  type JobName,
  type NotedRuns,
  noteParent,
  noteRuns,
  parseParentProgress,
  parseStartLedger,
  type RunNote,
  type StartLedger,
  type UnmetReason,
  type UnmetRun,
} from '../../domain/index.js';
import type { Operation, OperationResult } from '../../registry/index.js';
import { JobPaths, type JobTree, readNow } from '../job-tree/index.js';
import { CountingLock } from './counting-lock.js';

/** A job will not start for a fire time. */
export interface UnmetDependency {
  /** The job that does not start. */
  readonly jobName: JobName;
  /** The job whose run prevents it. */
  readonly parent: JobName;
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly reason: UnmetReason;
}

/** Writes of a settle transaction for the jobs that start after this one. */
interface NotedSettles {
  /** They must be the last ones of the transaction. */
  readonly operations: readonly Operation[];
  /** @param results the results of `operations` */
  onCommitted(results: readonly OperationResult[]): void;
}

interface KnownLedger {
  readonly ledger: StartLedger;
  readonly version: number;
}

interface Entry {
  readonly child: JobName;
  readonly ledger: StartLedger | undefined;
  readonly operation: Operation;
}

/** Most names of removed jobs that one settle takes away. Others are left to the next ones. */
const MOST_REMOVED = 100;
/** Most jobs of which one settle reports that they do not start. */
const MOST_REPORTED = 100;
/** Refusals in a row after which the lock is requested. */
const MOST_LOST_RACES = 2;

/** Counts the ends of one job in one session. If no job starts after it, it does nothing and makes no request. */
export class RunNotes {
  /** Ledgers as this instance has last read or written them. */
  private readonly ledgers = new Map<JobName, KnownLedger>();
  private refusals = 0;
  /** Version of `dependents` on which the last count was based. */
  private countedFrom: number | undefined;
  private readonly lock: CountingLock;

  /**
   * @param scheduleClock time that decides fire times; its shared time is compared with the times of operators'
   * switches
   * @param onUnmet called for each job that does not start after a run, once the settle is committed
   */
  constructor(
    private readonly tree: JobTree,
    clock: Clock,
    private readonly scheduleClock: ScheduleTime = hostTime(clock),
    private readonly onUnmet: (unmet: UnmetDependency) => void = () => {},
  ) {
    this.lock = new CountingLock(tree, clock);
  }

  /** Waits while another instance counts alone, and requests that itself if its own counts are refused. */
  async turn(): Promise<void> {
    if (this.tree.dependents().length === 0) return;
    await this.lock.standBack();
    if (this.refusals >= MOST_LOST_RACES) await this.lock.take();
  }

  /** Writes that belong to the settles of these items now. Reads only nodes that others have changed meanwhile. */
  async of(notes: readonly RunNote[]): Promise<NotedSettles> {
    const children = notes.length === 0 ? [] : this.tree.dependents();
    if (children.length === 0) return this.nothing();
    const { tree } = this;
    const path = tree.paths.dependents;
    if (!(await tree.load([path], { signal: tree.signal }))) await readNow(tree, [path]);
    const node = tree.node(path);
    if (node === undefined) return this.nothing();
    const { progress, succeeded, unmet } = this.count(node.data, notes);
    const data = formatParentProgress(progress);
    if (data === node.data) return this.nothing();
    this.countedFrom = node.stat.version;
    const count: Operation = { kind: 'set', path, data, version: this.countedFrom };
    const isDecided = succeeded.length > 0 || unmet.length > 0;
    const entries = isDecided ? await this.enter(children, succeeded) : [];
    return {
      operations: [count, ...entries.map(({ operation }) => operation), ...this.lock.operations],
      onCommitted: ([, ...results]) => {
        this.noteCommitted();
        this.remember(entries, results);
        if (unmet.length > 0) this.report(this.startedAfter(children), unmet);
      },
    };
  }

  /**
   * Reads again after a refusal, since others have changed the known nodes. News of the change usually comes before the
   * refusal.
   * @param refused the path
   */
  async readAgain(refused: string): Promise<void> {
    const { paths } = this.tree;
    this.refusals += 1;
    if (refused === paths.countingLock) return this.lock.end();
    if (refused !== paths.dependents) this.ledgers.clear();
    const isKnown = this.tree.node(paths.dependents)?.stat.version !== this.countedFrom;
    if (!isKnown) await readNow(this.tree, [paths.dependents]);
  }

  /** Releases an unused lock, so that no instance waits for a count that will not come. */
  async end(): Promise<void> {
    const { operations } = this.lock;
    if (operations.length === 0) return;
    this.lock.end();
    await this.tree.commit(operations).catch(() => {}); // It goes with the session.
  }

  /** An unreadable count starts anew, since the counts of runs so far are lost. */
  private count(text: string, notes: readonly RunNote[]): NotedRuns {
    const before = parseParentProgress(text);
    if (before !== undefined) return noteRuns(before, notes);
    const unmet = [...new Set(notes.map(({ fireTime }) => fireTime))].map((fireTime): UnmetRun => ({
      fireTime,
      reason: 'superseded',
    }));
    return { progress: { closedUpTo: this.scheduleClock.wallNow(), runs: new Map() }, succeeded: [], unmet };
  }

  /** Jobs that say themselves that they start after this one: anybody may write a name. */
  private startedAfter(children: readonly JobName[]): readonly JobName[] {
    return children.filter((child) => this.ledgers.get(child)?.ledger.parents.includes(this.tree.jobName));
  }

  private report(children: readonly JobName[], unmet: readonly UnmetRun[]): void {
    const reported = children.slice(0, MOST_REPORTED);
    for (const run of unmet) {
      for (const jobName of reported) this.onUnmet({ jobName, parent: this.tree.jobName, ...run });
    }
  }

  private nothing(): NotedSettles {
    return { operations: this.lock.operations, onCommitted: () => this.noteCommitted() };
  }

  private noteCommitted(): void {
    this.refusals = 0;
    this.lock.end();
  }

  private async enter(children: readonly JobName[], fireTimes: readonly number[]): Promise<readonly Entry[]> {
    const { paths } = this.tree;
    const removed = await this.readLedgers(children.filter((child) => !this.ledgers.has(child)));
    return [
      ...children.flatMap((child) => this.entryOf(child, fireTimes) ?? []),
      ...removed.slice(0, MOST_REMOVED).map((child) => {
        const operation: Operation = { kind: 'delete', path: paths.dependent(child) };
        return { child, ledger: undefined, operation };
      }),
    ];
  }

  private entryOf(child: JobName, fireTimes: readonly number[]): Entry | undefined {
    const known = this.ledgers.get(child);
    if (known === undefined) return undefined;
    const { jobName } = this.tree;
    const now = this.scheduleClock.sharedNow();
    const ledger = fireTimes.reduce((before, fireTime) => noteParent(before, jobName, fireTime, now), known.ledger);
    if (ledger === known.ledger) return undefined;
    const path = new JobPaths(child).after;
    return { child, ledger, operation: { kind: 'set', path, data: formatStartLedger(ledger), version: known.version } };
  }

  /**
   * Reads ledgers together. One that is damaged stays unknown: the child's leader creates it anew.
   * @returns the jobs without one, which were removed
   */
  private async readLedgers(children: readonly JobName[]): Promise<readonly JobName[]> {
    if (children.length === 0) return [];
    const { registry, signal } = this.tree;
    const paths = children.map((child) => new JobPaths(child).after);
    const nodes = await registry.readMany(paths, { signal });
    for (const [index, child] of children.entries()) {
      const node = nodes[index];
      const ledger = node && parseStartLedger(node.data);
      if (ledger !== undefined) this.ledgers.set(child, { ledger, version: node!.stat.version });
    }
    return children.filter((_, index) => nodes[index] === undefined);
  }

  private remember(entries: readonly Entry[], results: readonly OperationResult[]): void {
    for (const [index, { child, ledger }] of entries.entries()) {
      const result = results[index];
      if (ledger !== undefined && result?.kind === 'set') {
        this.ledgers.set(child, { ledger, version: result.stat.version });
      }
    }
  }
}

/**
 * Items that this instance expects to run: the enabled ones below the total. Undefined if no job needs a count of them.
 */
export function expectedItems(
  tree: JobTree,
  { shardingTotalCount }: Pick<JobConfiguration, 'shardingTotalCount'>,
): ItemSet | undefined {
  if (tree.dependents().length === 0) return undefined;
  const all = Array.from({ length: shardingTotalCount }, (_, item) => item);
  return itemSetOf(all.filter((item) => !tree.isDisabled(item)));
}
