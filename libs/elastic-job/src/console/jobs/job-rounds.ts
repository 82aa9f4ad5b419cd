import { type Clock, whileWaiting } from '../../clock/index.js';
import { type JobName, messageOf, type Redact } from '../../domain/index.js';
import { type JobFacts, readJob, readJobs, textLengthOf } from '../../operations/index.js';
import { NoAuthError, type RegistryCenter } from '../../registry/index.js';
import { JobPaths } from '../../coordination/index.js';
import { TextTurns } from '../../turns/index.js';
import { ROW_PARTS } from './indexed-job.js';
import type { JobRows } from './job-rows.js';

/** Nodes a second, until every job was read once and from then on. */
const FILLING_PACE = 20_000;
const ROUNDS_PACE = 2_000;
/** Nodes of one batch, which takes two requests or a few more. */
const NODES_AT_ONCE = 500;
/** Least time between two readings of a job, on a screen and elsewhere, in milliseconds. */
const SCREEN_MS = 2_000;
const ELSEWHERE_MS = 5_000;
/** Least time between two readings of a job that has changed, in milliseconds; a large one waits longer. */
const CHANGED_MS = 200;
/** Nodes a second of jobs that have changed, beside those of the rounds, and the longest pause after a batch. */
const CHANGED_PACE = 4_000;
const LONGEST_PAUSE_MS = 200;
/** So many new jobs at once count as changed ones. */
const FEW = 10;
/** Pause if nothing is due, and if changed jobs wait, in milliseconds. */
const IDLE_MS = 250;
const SOON_MS = 25;
/** One batch of so many is the round's, whatever is on the screens. */
const ROUND_SHARE = 4;

export interface JobRoundsParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly redact: Redact;
  /** True if the process runs jobs too: readings wait until the registry is calm. */
  readonly isShared: boolean;
  readonly rows: JobRows;
  /** Jobs that are on a screen. */
  readonly onScreen: () => ReadonlySet<JobName>;
  /** @param begunAt when the reading began, on the monotonic clock */
  readonly onRead: (job: JobName, facts: JobFacts, begunAt: number) => void;
  /** Called for a job that may not be read. @param begunAt as above */
  readonly onUnreachable: (job: JobName, because: string, begunAt: number) => void;
}

/**
 * Reads jobs that have changed at once, and beside that all jobs again and again, those first that were read longest
 * ago: what depends on the time has no event. Both keep to a pace that leaves the registry to others, so beyond 4,000
 * changed nodes a second changes wait. Of the rounds, jobs on a screen come first, but for one batch in four.
 */
export class JobRounds {
  private readonly turns: TextTurns;
  private batches = 0;
  /** Moments on the monotonic clock before which the paces allow no further batch: of the rounds, of changed jobs. */
  private nextAt = 0;
  private changedAt = 0;
  /** Jobs that have changed and were not read since, in the order of their changes. */
  private readonly changed = new Set<JobName>();
  /** Ends the present pause. */
  private endPause = () => {};

  constructor(private readonly parts: JobRoundsParts) {
    this.turns = new TextTurns(parts.clock);
  }

  /** Notes that something of a node below the namespace has changed. */
  noteChange(name: string): void {
    if (!this.parts.rows.knows(name)) return;
    this.changed.add(name);
    if (this.changed.size === 1) this.endPause();
  }

  /** Notes names that are new. */
  noteNew(jobs: readonly JobName[]): void {
    // Many are read at the pace of a filling instead.
    if (jobs.length <= FEW) for (const job of jobs) this.noteChange(job);
    this.endPause();
  }

  /** Reads what is due, or waits a moment. @throws the signal's reason, or what the registry answers */
  async readNext(signal: AbortSignal): Promise<void> {
    const { clock, rows } = this.parts;
    const now = clock.monotonicNow();
    const changed = this.changedAt > now ? [] : this.takeChanged(now);
    if (changed.length > 0) {
      this.changedAt = now + Math.min(LONGEST_PAUSE_MS, millisecondsOf(rows.nodesOf(changed), CHANGED_PACE));
      return this.readChanged(changed);
    }
    const jobs = this.nextAt > now ? [] : this.nextBatch();
    if (jobs.length === 0) return this.pause(now, signal);
    const pace = rows.hasNew(jobs) ? FILLING_PACE : ROUNDS_PACE;
    try {
      await this.read(jobs);
    } finally {
      // Only now it is known how many nodes a job has that is new.
      this.nextAt = Math.max(now, this.nextAt) + millisecondsOf(rows.nodesOf(jobs), pace);
    }
  }

  private async readChanged(jobs: readonly JobName[]): Promise<void> {
    try {
      await this.read(jobs);
    } catch (error) {
      for (const job of jobs) this.changed.add(job);
      throw error;
    }
  }

  private async read(jobs: readonly JobName[]): Promise<void> {
    const { clock, isShared, registry, rows } = this.parts;
    if (isShared) await registry.calm();
    const begunAt = clock.monotonicNow();
    rows.noteTry(jobs, begunAt);
    await this.readBatch(jobs, begunAt);
  }

  /** Changed jobs that may be read again, as many as make up a batch. */
  private takeChanged(now: number): readonly JobName[] {
    const { rows } = this.parts;
    const jobs: JobName[] = [];
    let nodes = 0;
    for (const job of this.changed) {
      const own = rows.nodesOf([job]);
      if (rows.knows(job) && now - rows.triedAt(job) < Math.max(CHANGED_MS, millisecondsOf(own, ROUNDS_PACE))) continue;
      this.changed.delete(job);
      if (!rows.knows(job)) continue;
      jobs.push(job);
      nodes += own;
      if (nodes >= NODES_AT_ONCE) break;
    }
    return jobs;
  }

  /** Until something may be due. The first change of a job ends it. */
  private pause(now: number, signal: AbortSignal): Promise<void> {
    const ofRounds = this.nextAt > now ? this.nextAt - now : IDLE_MS;
    const ofChanges = this.changed.size === 0 ? Infinity : Math.max(SOON_MS, this.changedAt - now);
    return new Promise((resolve) => {
      const end = () => {
        timer.cancel();
        forget();
        this.endPause = () => {};
        resolve();
      };
      const timer = this.parts.clock.setTimer(Math.min(ofRounds, ofChanges), end);
      const forget = whileWaiting(signal, end);
      this.endPause = end;
    });
  }

  private nextBatch(): readonly JobName[] {
    const { clock, onScreen, rows } = this.parts;
    const now = clock.monotonicNow();
    this.batches += 1;
    const elsewhere = () => rows.due(NODES_AT_ONCE, now - ELSEWHERE_MS);
    const onScreens = () => rows.due(NODES_AT_ONCE, now - SCREEN_MS, onScreen());
    const [first, second] = this.batches % ROUND_SHARE === 0 ? [elsewhere, onScreens] : [onScreens, elsewhere];
    const jobs = first();
    return jobs.length > 0 ? jobs : second();
  }

  private async readBatch(jobs: readonly JobName[], begunAt: number): Promise<void> {
    for (const facts of await this.factsOf(jobs, begunAt)) {
      await this.turns.admit(textLengthOf(facts));
      this.parts.onRead(facts.paths.jobName, facts, begunAt);
    }
  }

  /** One job that may not be read fails a request for many, so they are read one by one then. */
  private async factsOf(jobs: readonly JobName[], begunAt: number): Promise<readonly JobFacts[]> {
    try {
      return await readJobs(this.parts.registry, jobs, ROW_PARTS);
    } catch (error) {
      if (!(error instanceof NoAuthError)) throw error;
      return (await Promise.all(jobs.map((job) => this.oneOf(job, begunAt)))).flat();
    }
  }

  private async oneOf(job: JobName, begunAt: number): Promise<readonly JobFacts[]> {
    const { onUnreachable, redact, registry } = this.parts;
    try {
      return [await readJob(registry, new JobPaths(job), ROW_PARTS)];
    } catch (error) {
      if (!(error instanceof NoAuthError)) throw error;
      onUnreachable(job, redact(messageOf(error)), begunAt);
      return [];
    }
  }
}

function millisecondsOf(nodes: number, pace: number): number {
  return (nodes / pace) * 1_000;
}
