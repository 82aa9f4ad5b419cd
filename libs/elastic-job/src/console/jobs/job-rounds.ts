import type { Clock } from '../../clock/index.js';
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
/** Pause if nothing is due, in milliseconds. */
const IDLE_MS = 250;
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
 * Reads all jobs again and again, those first that were read longest ago, at a pace that leaves the registry to others.
 * Jobs on a screen come first, but for one batch in four.
 */
export class JobRounds {
  private readonly turns: TextTurns;
  private batches = 0;
  /** Moment on the monotonic clock before which the pace allows no further batch. */
  private nextAt = 0;

  constructor(private readonly parts: JobRoundsParts) {
    this.turns = new TextTurns(parts.clock);
  }

  /** Reads what is due, or waits a moment. @throws the signal's reason, or what the registry answers */
  async readNext(signal: AbortSignal): Promise<void> {
    const { clock, isShared, registry, rows } = this.parts;
    const jobs = this.nextBatch();
    const now = clock.monotonicNow();
    if (jobs.length === 0) return clock.sleep(IDLE_MS, signal);
    if (this.nextAt > now) await clock.sleep(this.nextAt - now, signal);
    if (isShared) await registry.calm();
    const pace = rows.hasNew(jobs) ? FILLING_PACE : ROUNDS_PACE;
    const begunAt = clock.monotonicNow();
    rows.noteTry(jobs, begunAt);
    try {
      await this.readBatch(jobs, begunAt);
    } finally {
      // Only now it is known how many nodes a job has that is new.
      this.nextAt = Math.max(now, this.nextAt) + (rows.nodesOf(jobs) / pace) * 1_000;
    }
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
