/**
 * How runs of a job start other jobs.
 *
 * State: at the parent, `dependents/{child}` says who is started after it, and the data of `dependents` counts by fire
 * time which of the expected items have succeeded. At the child, the data of `after` names its parents, says which of
 * them have succeeded where others have not yet, and lists the last starts.
 *
 * Guarantees: the transaction that settles an item counts it, against the version of `dependents`; the one that
 * completes a run enters that at each child, against the version of `after`; with the last parent this is the child's
 * start. So a start exists exactly once, and exactly if all parents' items have succeeded for its fire time. It is a
 * target of the child like any fire time of a schedule: an item begins it by the compare-and-set of every begin, and
 * owes it as long as its record is older, whoever crashes, moves or joins. An item is expected if an instance that has
 * begun some of the run took it for enabled: a disabled one holds nothing back, and one that is disabled, or beyond a
 * smaller total, since then still does.
 *
 * An item that ends badly for good closes the run: nothing is started after it. A complete run closes those before it,
 * since items are begun for fire times in order: what is not complete by then will never be (`superseded`).
 *
 * Failures: a refused count means that somebody else has settled or started meanwhile: what was refused is read again,
 * and who is refused repeatedly counts alone for once (`CountingLock`). After a lost reply the records tell whether the
 * whole transaction was applied. A holder that dies has counted nothing: its item's failover counts, or nobody does. A
 * child whose `after` is gone was removed, and so is its name at the parent.
 */
import { type Clock, hostTime, type ScheduleTime } from '../../clock/index.js';
import {
  formatParentProgress,
  formatStartLedger,
  type JobName,
  noteParent,
  noteRuns,
  parseParentProgress,
  parseStartLedger,
  type NotedRuns,
  type RunNote,
  type StartLedger,
  type UnmetReason,
  type UnmetRun,
} from '../../domain/index.js';
import type { Operation, OperationResult } from '../../registry/index.js';
import { JobPaths, type JobTree, readNow } from '../job-tree/index.js';
import { CountingLock } from './counting-lock.js';

/** A job will not be started for a fire time. */
export interface UnmetDependency {
  /** The job that is not started. */
  readonly jobName: JobName;
  /** The job whose run does not let it. */
  readonly parent: JobName;
  /** In milliseconds since the epoch. */
  readonly fireTime: number;
  readonly reason: UnmetReason;
}

/** What a settle transaction writes for the jobs that are started after this one. */
interface NotedSettles {
  /** The last ones of the transaction. */
  readonly operations: readonly Operation[];
  /** @param results those of `operations` */
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

/** After so many refusals in a row the lock is asked for. */
const MOST_LOST_RACES = 2;

/** Counts what ends of one job in one session. Without jobs that are started after it: nothing, at no request. */
export class RunNotes {
  /** As this instance has read or written them last. */
  private readonly ledgers = new Map<JobName, KnownLedger>();
  private refusals = 0;
  /** The version of `dependents` on which the last count was built. */
  private countedFrom: number | undefined;
  private readonly lock: CountingLock;

  /**
   * @param scheduleClock the time by which fire times come; its shared time is compared with when items were switched
   *   off
   * @param onUnmet hears, once the settle is committed, of runs after which nothing is started
   */
  constructor(
    private readonly tree: JobTree,
    clock: Clock,
    private readonly scheduleClock: ScheduleTime = hostTime(clock),
    private readonly onUnmet: (unmet: UnmetDependency) => void = () => {},
  ) {
    this.lock = new CountingLock(tree, clock);
  }

  /** Waits while another instance counts alone, and asks for that if its own counts are refused. */
  async turn(): Promise<void> {
    if (this.tree.dependents().length === 0) return;
    await this.lock.standBack();
    if (this.refusals >= MOST_LOST_RACES) await this.lock.take();
  }

  /** Writes to be made with the settles of these items, as of now. Reads only what others have written meanwhile. */
  async of(notes: readonly RunNote[]): Promise<NotedSettles> {
    const { tree } = this;
    const children = notes.length === 0 ? [] : tree.dependents();
    if (children.length === 0) return this.nothing();
    const path = tree.paths.dependents;
    if (!(await tree.load([path], { signal: tree.signal }))) await readNow(tree, [path]);
    const node = tree.node(path);
    if (node === undefined) return this.nothing();
    const { progress, succeeded, unmet } = this.count(node.data, notes);
    const data = formatParentProgress(progress);
    if (data === node.data) return this.nothing();
    this.countedFrom = node.stat.version;
    const count: Operation = { kind: 'set', path, data, version: this.countedFrom };
    const entries =
      succeeded.length === 0 ? [] : (await Promise.all(children.map((child) => this.enter(child, succeeded)))).flat();
    return {
      operations: [count, ...entries.map(({ operation }) => operation), ...this.lock.operations],
      onCommitted: ([, ...results]) => {
        this.noteCommitted();
        this.remember(entries, results);
        for (const run of unmet)
          for (const jobName of children) this.onUnmet({ jobName, parent: tree.jobName, ...run });
      },
    };
  }

  /**
   * After a refusal: others have written what was known here. The news of it usually come before the refusal.
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

  /** Nobody is kept waiting for a count that does not come. */
  async end(): Promise<void> {
    const { operations } = this.lock;
    if (operations.length === 0) return;
    this.lock.end();
    await this.tree.commit(operations).catch(() => {}); // It goes with the session.
  }

  /** A count that cannot be read begins anew: nobody knows what has been counted of the runs until now. */
  private count(text: string, notes: readonly RunNote[]): NotedRuns {
    const before = parseParentProgress(text);
    if (before !== undefined) return noteRuns(before, notes);
    const unmet = [...new Set(notes.map(({ fireTime }) => fireTime))].map((fireTime): UnmetRun => ({
      fireTime,
      reason: 'superseded',
    }));
    return { progress: { closedUpTo: this.scheduleClock.wallNow(), runs: new Map() }, succeeded: [], unmet };
  }

  private nothing(): NotedSettles {
    return { operations: this.lock.operations, onCommitted: () => this.noteCommitted() };
  }

  private noteCommitted(): void {
    this.refusals = 0;
    this.lock.end();
  }

  private async enter(child: JobName, fireTimes: readonly number[]): Promise<readonly Entry[]> {
    const { jobName, paths } = this.tree;
    const path = new JobPaths(child).after;
    const known = this.ledgers.get(child) ?? (await this.readLedger(path));
    if (known === 'removed') {
      return [{ child, ledger: undefined, operation: { kind: 'delete', path: paths.dependent(child) } }];
    }
    if (known === undefined) return [];
    this.ledgers.set(child, known);
    const now = this.scheduleClock.sharedNow();
    const ledger = fireTimes.reduce((before, fireTime) => noteParent(before, jobName, fireTime, now), known.ledger);
    if (ledger === known.ledger) return [];
    return [
      { child, ledger, operation: { kind: 'set', path, data: formatStartLedger(ledger), version: known.version } },
    ];
  }

  /** @returns undefined if it is damaged: the child's leader lays it anew */
  private async readLedger(path: string): Promise<KnownLedger | 'removed' | undefined> {
    const node = await this.tree.registry.read(path, { signal: this.tree.signal });
    if (node === undefined) return 'removed';
    const ledger = parseStartLedger(node.data);
    return ledger && { ledger, version: node.stat.version };
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
