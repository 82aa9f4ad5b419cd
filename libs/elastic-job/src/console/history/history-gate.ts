import { type Clock, Deadline } from '../../clock/index.js';
import { ElasticJobError } from '../../domain/index.js';
import { ApplicationJobHistory, ApplicationRunHistory, type JobHistory, type RunHistory } from '../../tracing/index.js';
import { ConsoleProblem } from '../contract/index.js';

/** Queries that the database works on at once. Each holds its place until it is answered, however late. */
const AT_ONCE = 3;
/** Queries that wait for a place. */
const MOST_WAITING = 100;
/** Longest wait for an answer, that for a place included. */
const ANSWER_MS = 5_000;
/** After this time a query gives its place up: its connection may be dead. */
const LOST_MS = 60_000;
/** Answers that are kept for the time in which the database is away, and their characters as JSON. */
const MOST_KEPT = 100;
const MOST_CHARACTERS = 8_000_000;

export interface HistoryGateParts {
  readonly clock: Clock;
  /** Sinks of the option `tracing`: the first readable one is the history. */
  readonly sinks: readonly object[];
  /** Told that the history is away, once until it is back. */
  readonly log: { error(text: string, error: unknown): void };
}

/** An answer of the history. */
export interface Answered<Answer> {
  readonly answer: Answer;
  /** When it was asked for, in milliseconds since the epoch. */
  readonly at: number;
  /** True if the history is away, and this is its last answer to the question. */
  readonly isStale: boolean;
}

/**
 * The one way to the history. However many people look, the database works on three questions at a time, and nobody
 * waits longer than 5 s. While it is away, its last answer to the same question is given, marked as stale.
 */
export class HistoryGate {
  private readonly jobs: ApplicationJobHistory;
  private readonly runs: ApplicationRunHistory;
  private readonly kept = new Map<string, { readonly answered: Answered<object>; readonly characters: number }>();
  private characters = 0;
  /** Questions that are being asked: who asks the same gets the same answer. */
  private readonly asking = new Map<string, Promise<Answered<object>>>();
  private readonly waiting = new Set<() => void>();
  private free = AT_ONCE;
  /** Number of places that are held beyond the time for an answer. */
  private late = 0;
  private isAway = false;
  private isMissing = false;

  constructor(private readonly parts: HistoryGateParts) {
    this.jobs = new ApplicationJobHistory(parts.sinks);
    this.runs = new ApplicationRunHistory(parts.sinks);
  }

  /** False: the application has no history that tells fire times, as the first question has shown. */
  get isThere(): boolean {
    return !this.isMissing;
  }

  /**
   * @param question has everything that the answer depends on, what the caller may see included
   * @param reuseMs an answer that is younger is given again
   * @throws {MissingRunHistoryError} @throws {ConfigurationError} @throws {ConsoleProblem} 503 HISTORY_AWAY
   */
  ask<Answer extends object>(
    question: readonly unknown[],
    read: (history: JobHistory) => Promise<Answer>,
    reuseMs = 0,
  ): Promise<Answered<Answer>> {
    const key = JSON.stringify(question);
    const last = this.kept.get(key)?.answered;
    const isYoung = last !== undefined && this.parts.clock.wallNow() - last.at < reuseMs;
    const answered = isYoung ? Promise.resolve(last) : (this.asking.get(key) ?? this.askAnew(key, read));
    // oxlint-disable-next-line no-unsafe-type-assertion -- a question has answers of one type
    return answered as Promise<Answered<Answer>>;
  }

  /** Asks for what tells no age, so that no earlier answer can stand for it. @throws as `ask` */
  async askRuns<Answer>(read: (history: RunHistory) => Promise<Answer>): Promise<Answer> {
    const answer = await this.answered(async () => read(await this.runs.open()), undefined);
    return answer.answer;
  }

  private askAnew(key: string, read: (history: JobHistory) => Promise<object>): Promise<Answered<object>> {
    const asked = this.answered(async () => read(await this.openJobs()), this.kept.get(key)?.answered).finally(() =>
      this.asking.delete(key),
    );
    this.asking.set(key, asked);
    return asked.then((answer) => {
      if (!answer.isStale) this.keep(key, answer);
      return answer;
    });
  }

  private async openJobs(): Promise<JobHistory> {
    try {
      return await this.jobs.open();
    } catch (error) {
      this.isMissing ||= error instanceof ElasticJobError && error.code === 'MISSING_RUN_HISTORY';
      throw error;
    }
  }

  private async answered<Answer>(
    read: () => Promise<Answer>,
    last: Answered<Answer> | undefined,
  ): Promise<Answered<Answer>> {
    const at = this.parts.clock.wallNow();
    try {
      const answer = await this.inTime(read);
      this.isAway = false;
      return { answer, at, isStale: false };
    } catch (error) {
      if (error instanceof ElasticJobError) throw error;
      // Once until it is back: anybody who may read would fill the log.
      if (!this.isAway) this.parts.log.error('The history of runs does not answer', error);
      this.isAway = true;
      if (last !== undefined) return { ...last, isStale: true };
      throw new ConsoleProblem(503, 'HISTORY_AWAY', 'The history of runs does not answer.');
    }
  }

  private async inTime<Answer>(read: () => Promise<Answer>): Promise<Answer> {
    const { clock } = this.parts;
    const deadline = Deadline.after(clock, ANSWER_MS);
    if (!(await this.hasPlace(deadline))) throw new Error('too many queries wait for their answers');
    const work = read();
    const held = Deadline.after(clock, LOST_MS).holdsFor(Promise.allSettled([work]));
    void held.then(() => this.release());
    return deadline.bounds(work, () => {
      this.late += 1;
      void held.then(() => (this.late -= 1));
      throw new Error(`a query has not been answered for ${ANSWER_MS} ms`);
    });
  }

  /** False if there is none in time. */
  private async hasPlace(deadline: Deadline): Promise<boolean> {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    if (this.late >= AT_ONCE || this.waiting.size >= MOST_WAITING) return false;
    let give = () => {};
    const given = new Promise<boolean>((resolve) => {
      give = () => resolve(true);
    });
    this.waiting.add(give);
    // One that was given a place in the last moment is not waiting any more, and has it.
    return deadline.bounds(given, () => !this.waiting.delete(give));
  }

  private release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }

  private keep(key: string, answered: Answered<object>): void {
    const { length } = JSON.stringify(answered.answer);
    this.forget(key);
    this.kept.set(key, { answered, characters: length });
    this.characters += length;
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= MOST_KEPT && this.characters <= MOST_CHARACTERS) return;
      this.forget(oldest);
    }
  }

  private forget(key: string): void {
    this.characters -= this.kept.get(key)?.characters ?? 0;
    this.kept.delete(key);
  }
}
