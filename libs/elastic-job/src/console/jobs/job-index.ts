import type { Clock } from '../../clock/index.js';
import { findJobNameFault, type JobName, Listeners, type Redact } from '../../domain/index.js';
import type { JobFacts } from '../../operations/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { Reconciler } from '../../repeat/index.js';
import {
  type AuditTarget,
  type ConsoleCaller,
  type DisabledBy,
  type IndexState,
  type JobRow,
  type JobsAnswer,
  type JobsQuery,
  type OverviewAnswer,
  type ServerAnswer,
  type ServersAnswer,
  type ServersQuery,
  unknownJobProblem,
} from '../contract/index.js';
import type { HistoryGate } from '../history/index.js';
import { FireTimes } from './fire-times.js';
import { type IndexedJob, indexedJob, jobRow, unreachableJob } from './indexed-job.js';
import { LARGEST_PAGE, listJobs } from './job-list.js';
import { JobNames } from './job-names.js';
import { JobRounds } from './job-rounds.js';
import { JobRows, showsSame } from './job-rows.js';
import { scheduleOf } from './job-schedule.js';
import type { OpenJob } from './open-job.js';
import { OpenJobs } from './open-jobs.js';
import { listServers, overviewOf, serversOf } from './overview.js';
import type { FailedRun } from './run-errors.js';
import { ShownJobs } from './shown-jobs.js';

export interface JobIndexParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  /** Goes over the texts of people and of errors that are shown. */
  readonly redact: Redact;
  /** Name of the namespace, for the overview. */
  readonly namespace: string;
  /** True if the process runs jobs too: readings wait until the registry is calm. */
  readonly isShared: boolean;
  /** Tells by whom jobs or items were disabled, in their order. @default nobody is known */
  readonly disabledBy?: (targets: readonly AuditTarget[]) => Promise<readonly DisabledBy[]>;
  /** Errors of runs of a job that have failed, by their items. @default none is known */
  readonly errorsOf?: (job: JobName, runs: readonly FailedRun[]) => Promise<ReadonlyMap<number, string>>;
  /** The way to the history of runs. @default there is none */
  readonly gate?: HistoryGate;
  /** Called for each version of a `config` that is seen, once. Must not throw. */
  readonly onConfig?: (job: JobName, version: number, text: string) => void;
  /** Receives what the registry or a defect has stopped; it is tried again all the same. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

/**
 * All jobs of a namespace, from memory. One watch tells of names that come and go, and which jobs have changed; these
 * are read at once. Beside that all are read in batches, at 20,000 nodes a second until every job was read once, and at
 * 2,000 from then on, which finds what was missed while there was no connection. A row is as old as its `asOf`.
 *
 * A node below the namespace without `config` is no job; before it was read it counts as one. Of two readings of a job
 * the one that began later stands. While the registry is away, the last facts are given, marked as stale. It heals by
 * itself, also in a new session.
 *
 * Everything is shown whole, within the caller's prefix.
 */
export class JobIndex {
  private readonly rows = new JobRows();
  private readonly fireTimes = new FireTimes();
  private readonly changes = new Listeners<(job: JobName | undefined) => void>();
  private wasStale = false;
  private readonly shown: ShownJobs;
  private readonly openJobs: OpenJobs;
  private readonly rounds: JobRounds;
  private readonly names: JobNames;
  private readonly reading: Reconciler;
  private readonly ending = new AbortController();
  /** Reads that have failed, because of the registry or a defect, and have not succeeded since. */
  private readonly failing = new Set<'names' | 'rows'>();
  private stopListening = () => {};

  constructor(private readonly parts: JobIndexParts) {
    const { clock } = parts;
    this.shown = new ShownJobs({
      ...parts,
      open: () => this.openJobs.looked(),
      onChange: (job) => this.tell(job),
    });
    this.openJobs = new OpenJobs({
      ...parts,
      isAway: () => !this.isConnected,
      onRead: (job, facts, begunAt) => this.read(job, facts, begunAt),
      rowOf: (job) => this.row(job),
      scheduleOf: (indexed) => scheduleOf(indexed, this.fireTimes),
      withPulse: (row) => this.shown.withPulse(row),
    });
    this.rounds = new JobRounds({
      ...parts,
      rows: this.rows,
      onScreen: () => new Set([...this.shown.inLists(), ...this.openJobs.withoutView()]),
      onRead: (job, facts, begunAt) => this.read(job, facts, begunAt),
      onUnreachable: (job, because, begunAt) => {
        this.put(job, unreachableJob(job, this.rows.get(job), { because, now: this.wallOf(begunAt) }), begunAt);
      },
    });
    this.names = new JobNames({
      ...parts,
      onNames: (names) => this.setNames(names),
      onChange: (name) => this.rounds.noteChange(name),
      onError: (error) => this.fail('names', error),
    });
    this.reading = new Reconciler(
      clock,
      () => this.readNext(),
      (error) => this.fail('rows', error),
    );
  }

  start(): void {
    this.stopListening = this.parts.registry.onSession(() => {
      this.tellIfStale();
      this.begin();
    });
    this.begin();
  }

  /** Nothing is read and watched any more when it resolves. */
  async stop(): Promise<void> {
    this.stopListening();
    this.ending.abort();
    this.reading.stop();
    this.shown.stop();
    this.openJobs.stop();
    await Promise.all([this.names.stop(), this.reading.rested()]);
  }

  /** True if these are the last facts, since the registry does not answer. */
  get isStale(): boolean {
    return !this.isConnected || this.failing.size > 0;
  }

  /** True for a name that is there, unless it is known to be no job. */
  has(job: JobName): boolean {
    return this.rows.has(job);
  }

  /** Undefined if it was not read yet, or is none. */
  row(job: JobName): JobRow | undefined {
    const indexed = this.rows.get(job);
    return indexed && this.shown.withPulse(jobRow(indexed, this.parts.clock.wallNow()));
  }

  /**
   * Hears of each job whose row has changed, has come or has gone; undefined: the index has become stale, or fresh.
   * @returns a function that removes the listener
   */
  onChange(listener: (job: JobName | undefined) => void): () => void {
    return this.changes.add(listener);
  }

  /** @throws {ConsoleProblem} 400 for a cursor of another query, and an unknown order */
  list(query: JobsQuery, caller: ConsoleCaller): JobsAnswer {
    const { jobs, state, total } = this.rows.seenBy(caller);
    const { cursor, items, matching } = listJobs(jobs, query, this.parts.clock.wallNow());
    return { items: items.map((row) => this.shown.withPulse(row)), cursor, total, matching, ...this.stateOf(state) };
  }

  overview(caller: ConsoleCaller): OverviewAnswer {
    const { namespace, registry } = this.parts;
    const { jobs, state, total } = this.rows.seenBy(caller);
    const atAGlance = overviewOf(jobs, this.parts.clock.wallNow());
    const ofHistory = this.shown.inOverview(caller, atAGlance.worst);
    const shown = { state: registry.session.state ?? 'CONNECTING', namespace };
    return { registry: shown, jobs: total, ...atAGlance, ...ofHistory, ...this.stateOf(state) };
  }

  /** @throws {ConsoleProblem} 400 for a cursor of another query */
  servers(query: ServersQuery, caller: ConsoleCaller): ServersAnswer {
    const { jobs, state } = this.rows.seenBy(caller);
    return { ...listServers(serversOf(jobs), query), ...this.stateOf(state) };
  }

  server(ip: string, caller: ConsoleCaller): ServerAnswer | undefined {
    const { jobs, state } = this.rows.seenBy(caller);
    const found = serversOf(jobs.filter(({ servers }) => servers.some(({ serverIp }) => serverIp === ip)));
    const server = found.find((one) => one.ip === ip);
    return server && { ...server, ...this.stateOf(state) };
  }

  /**
   * Opens a job, for as long as somebody looks at it. Close it in any case.
   * @throws {ConsoleProblem} 404 for a name that no job can have
   */
  open(job: JobName): OpenJob {
    if (findJobNameFault(job) !== undefined) throw unknownJobProblem(job);
    return this.openJobs.open(job);
  }

  /** How far the index has come, for the caller. */
  state(caller: Pick<ConsoleCaller, 'jobPrefix'>): IndexState & { readonly total: number } {
    const { state, total } = this.rows.seenBy(caller);
    return { total, ...this.stateOf(state) };
  }

  /** Has the rows of these jobs read sooner than others, since the caller looks at them. Of many the first count. */
  setScreen(caller: ConsoleCaller, jobs: readonly JobName[]): void {
    this.shown.showList(caller, jobs.slice(0, LARGEST_PAGE));
  }

  /** Keeps what the caller looks at on the screen, since a stream tells of it. */
  keepScreen(caller: ConsoleCaller): void {
    this.shown.keep(caller);
  }

  /** Resolves once the history of what is shown is at hand, or soon after in any case. */
  historyReady(): Promise<void> {
    return this.shown.ready();
  }

  private get isConnected(): boolean {
    const { state } = this.parts.registry.session;
    return state === 'CONNECTED' || state === 'RECONNECTED';
  }

  private stateOf(state: Omit<IndexState, 'stale'>): IndexState {
    return { ...state, stale: this.isStale };
  }

  private begin(): void {
    if (!this.isConnected) return;
    this.names.wake();
    this.reading.wake();
  }

  private setNames(names: readonly JobName[]): void {
    const come = names.filter((name) => !this.rows.knows(name));
    for (const job of this.rows.setNames(names)) this.tell(job);
    this.rounds.noteNew(come);
    this.succeed('names');
  }

  /** One batch, after which it wakes itself: each success ends the pauses that grow. */
  private async readNext(): Promise<void> {
    await this.rounds.readNext(this.ending.signal);
    this.succeed('rows');
    this.reading.wake();
  }

  private read(job: JobName, facts: JobFacts, begunAt: number): IndexedJob | undefined {
    const { onConfig, redact } = this.parts;
    const known = this.rows.get(job);
    const indexed = indexedJob(facts, known, { fireTimes: this.fireTimes, redact, now: this.wallOf(begunAt) });
    const isNewest = this.put(job, indexed, begunAt);
    if (isNewest && facts.config !== undefined && indexed?.settings !== known?.settings) {
      onConfig?.(job, facts.config.stat.version, facts.config.data);
    }
    return indexed;
  }

  /** A reading may take seconds, and what it has found is as old as its beginning. @returns false for an older one */
  private put(job: JobName, indexed: IndexedJob | undefined, begunAt: number): boolean {
    const known = this.rows.get(job);
    if (!this.rows.put(job, indexed, begunAt)) return false;
    if (!showsSame(known, indexed, this.parts.clock.wallNow())) this.tell(job);
    return true;
  }

  /** An instant of the monotonic clock, in milliseconds since the epoch. */
  private wallOf(instant: number): number {
    const { clock } = this.parts;
    return clock.wallNow() - (clock.monotonicNow() - instant);
  }

  private tell(job?: JobName): void {
    this.changes.forEach((listener) => listener(job));
  }

  private tellIfStale(): void {
    if (this.wasStale === this.isStale) return;
    this.wasStale = this.isStale;
    this.tell();
  }

  private succeed(what: 'names' | 'rows'): void {
    if (this.failing.delete(what)) this.tellIfStale();
  }

  private fail(what: 'names' | 'rows', error: unknown): void {
    if (this.ending.signal.aborted) return;
    this.failing.add(what);
    this.tellIfStale();
    this.parts.onError?.(error);
  }
}
