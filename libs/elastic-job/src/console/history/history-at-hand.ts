import { type Clock, Deadline, type Timer } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import { Reconciler } from '../../repeat/index.js';
import type { JobHistory, MissedFireTimes } from '../../tracing/index.js';
import {
  type HistoryState,
  isoOf,
  type JobPulseAnswer,
  type OverviewHistory,
  UNKNOWN_PULSE,
} from '../contract/index.js';
import { readGlance } from './glance.js';
import type { HistoryGate } from './history-gate.js';
import { FIRE_TIMES, pulseAnswer } from './pulses.js';

/** Age at which something that is shown is asked for again. */
const REFRESH_MS = 10_000;
/** Milliseconds between two looks at what is shown. */
const LOOK_MS = 2_000;
/** An overview that nobody has asked for during this time is not shown any more. */
const SHOWN_MS = 10_000;
/** Longest wait of a list for the history. */
const LIST_MS = 150;
/** Jobs of one question. */
const JOBS_AT_ONCE = 200;
const MOST_JOBS = 1_000;
const MISSED_MS = 7 * 86_400_000;
const MOST_MISSED = 1_000;

export interface HistoryAtHandParts {
  readonly clock: Clock;
  readonly gate: HistoryGate;
  /** Jobs whose rows somebody looks at. */
  readonly shown: () => Iterable<JobName>;
  /** Called for each job of which something else is known than before; undefined: for an overview. Must not throw. */
  readonly onChange: (job: JobName | undefined) => void;
}

interface Pulse {
  /** On the monotonic clock. */
  readonly readAt: number;
  readonly answer: JobPulseAnswer;
}

interface Glance {
  shownUntil: number;
  /** When it was asked for last, on the monotonic clock. */
  readAt: number;
  known: OverviewHistory | null;
}

/**
 * The history of what somebody looks at, in memory, so that no list and no overview waits for the database. It is asked
 * again while it is looked at: one question at a time, with all jobs in one. While it is away nothing is known of jobs,
 * and the last overview is marked as stale.
 */
export class HistoryAtHand {
  private readonly pulses = new Map<JobName, Pulse>();
  /** By the prefix of the jobs. */
  private readonly glances = new Map<string, Glance>();
  private readonly reading: Reconciler;
  private isAway = false;
  private isStopped = false;
  private next: Timer | undefined;

  constructor(private readonly parts: HistoryAtHandParts) {
    this.reading = new Reconciler(
      parts.clock,
      () => this.read(),
      () => {},
    );
  }

  pulseOf(job: JobName): JobPulseAnswer {
    return this.pulses.get(job)?.answer ?? UNKNOWN_PULSE;
  }

  /** Null until it is known. It is kept up to date for a while. */
  overviewOf(jobPrefix: string): OverviewHistory | null {
    const glance = this.glances.get(jobPrefix) ?? { shownUntil: 0, readAt: -Infinity, known: null };
    glance.shownUntil = this.now + SHOWN_MS;
    this.glances.set(jobPrefix, glance);
    this.look();
    return glance.known;
  }

  /** Keeps an overview on the screen, since a stream tells of it. */
  keepOverview(jobPrefix: string): void {
    const glance = this.glances.get(jobPrefix);
    if (glance !== undefined) glance.shownUntil = this.now + SHOWN_MS;
  }

  /** Something else may be shown now. */
  look(): void {
    if (this.parts.gate.isThere) this.reading.wake();
  }

  /** Resolves once what is shown is known, or after 150 ms; at once while the history is away. */
  async ready(): Promise<void> {
    this.look();
    if (!this.isAway) await Deadline.after(this.parts.clock, LIST_MS).bounds(this.reading.rested(), () => {});
  }

  stop(): void {
    this.isStopped = true;
    this.next?.cancel();
    this.reading.stop();
  }

  private get now(): number {
    return this.parts.clock.monotonicNow();
  }

  private async read(): Promise<void> {
    this.next?.cancel();
    const jobs = [...this.parts.shown()].slice(0, MOST_JOBS);
    const shown = new Set(jobs);
    for (const job of this.pulses.keys()) if (!shown.has(job)) this.pulses.delete(job);
    for (const [prefix, { shownUntil }] of this.glances) if (shownUntil <= this.now) this.glances.delete(prefix);
    const due = jobs.filter((job) => this.isDue(this.pulses.get(job)));
    for (let first = 0; first < due.length; first += JOBS_AT_ONCE) {
      await this.readPulses(due.slice(first, first + JOBS_AT_ONCE));
    }
    for (const [prefix, glance] of this.glances) if (this.isDue(glance)) await this.readGlance(prefix, glance);
    if (this.isStopped || (jobs.length === 0 && this.glances.size === 0)) return;
    this.next = this.parts.clock.setTimer(LOOK_MS, () => this.reading.wake());
  }

  private isDue(known: { readonly readAt: number } | undefined): boolean {
    return known === undefined || this.now - known.readAt >= REFRESH_MS;
  }

  private async readPulses(jobs: readonly JobName[]): Promise<void> {
    const readAt = this.now;
    let known: ReadonlyMap<JobName, JobPulseAnswer> = new Map();
    try {
      const { answer, isStale } = await this.parts.gate.ask(['pulses', jobs], (history) =>
        this.pulsesOf(history, jobs),
      );
      if (!isStale) known = answer;
      this.isAway = isStale;
    } catch {
      // The gate has told the log.
      this.isAway = true;
    }
    for (const job of jobs) {
      const before = this.pulseOf(job);
      const answer = known.get(job) ?? UNKNOWN_PULSE;
      this.pulses.set(job, { readAt, answer });
      if (JSON.stringify(before) !== JSON.stringify(answer)) this.parts.onChange(job);
    }
  }

  private async pulsesOf(history: JobHistory, jobs: readonly JobName[]): Promise<ReadonlyMap<JobName, JobPulseAnswer>> {
    const pulses = await history.pulses({ jobNames: jobs, fireTimes: FIRE_TIMES });
    const from = this.parts.clock.wallNow() - MISSED_MS;
    const missed = await history.missed({ from, limit: MOST_MISSED });
    const byJob = new Map(pulses.map((pulse) => [pulse.jobName, pulse]));
    const missedOf = groupedByJob(missed.rows);
    return new Map(jobs.map((job) => [job, pulseAnswer(byJob.get(job), missedOf.get(job) ?? [])]));
  }

  private async readGlance(prefix: string, glance: Glance): Promise<void> {
    glance.readAt = this.now;
    const now = this.parts.clock.wallNow();
    let known = glance.known && { ...glance.known, stale: true };
    try {
      const { answer, at, isStale } = await this.parts.gate.ask(['overview', prefix], (history) =>
        readGlance(history, prefix, now),
      );
      known = { ...answer, asOf: isoOf(at), stale: isStale } satisfies HistoryState;
    } catch {
      // As above.
    }
    const isSame = JSON.stringify({ ...glance.known, asOf: '' }) === JSON.stringify({ ...known, asOf: '' });
    glance.known = known;
    if (!isSame) this.parts.onChange(undefined);
  }
}

function groupedByJob(missed: readonly MissedFireTimes[]): ReadonlyMap<JobName, readonly MissedFireTimes[]> {
  const grouped = new Map<JobName, MissedFireTimes[]>();
  for (const one of missed) {
    const known = grouped.get(one.jobName);
    if (known === undefined) grouped.set(one.jobName, [one]);
    else known.push(one);
  }
  return grouped;
}
