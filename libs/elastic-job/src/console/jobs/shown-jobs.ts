import type { Clock } from '../../clock/index.js';
import type { JobName } from '../../domain/index.js';
import { HistoryAtHand, HistoryGate } from '../history/index.js';
import type { ConsoleCaller, JobRow, OverviewHistory } from '../contract/index.js';
import { Screens } from './screens.js';

interface ShownJobsParts {
  readonly clock: Clock;
  /** The way to the history. @default there is none */
  readonly gate?: HistoryGate;
  /** Jobs that are open. */
  readonly open: () => readonly JobName[];
  /** Called for each job of which the history tells something else than before; undefined: for an overview. */
  readonly onChange: (job: JobName | undefined) => void;
}

/** The jobs that people look at, in lists and overviews, with what the history tells of them. */
export class ShownJobs {
  private readonly lists: Screens;
  private readonly overviews: Screens;
  private readonly history: HistoryAtHand;

  constructor({ clock, gate, onChange, open }: ShownJobsParts) {
    this.lists = new Screens(clock);
    this.overviews = new Screens(clock);
    this.history = new HistoryAtHand({
      clock,
      gate: gate ?? new HistoryGate({ clock, sinks: [], log: { error: () => {} } }),
      shown: () => new Set([...this.lists.jobs(), ...open(), ...this.overviews.jobs()]),
      onChange,
    });
  }

  /** Those of the last list of each caller. */
  inLists(): ReadonlySet<JobName> {
    return this.lists.jobs();
  }

  showList(caller: ConsoleCaller, jobs: readonly JobName[]): void {
    this.lists.show(caller, jobs);
    this.history.look();
  }

  /** The rows of an overview, and the history for it; null until it is known. */
  inOverview(
    { jobPrefix = '' }: Pick<ConsoleCaller, 'jobPrefix'>,
    rows: readonly JobRow[],
  ): { readonly history: OverviewHistory | null; readonly worst: readonly JobRow[] } {
    const names = rows.map(({ job }) => job);
    this.overviews.show({ name: jobPrefix }, names);
    return { history: this.history.overviewOf(jobPrefix), worst: rows.map((row) => this.withPulse(row)) };
  }

  /** Keeps what the caller looks at on the screen. */
  keep(caller: ConsoleCaller): void {
    const { jobPrefix = '' } = caller;
    this.lists.keep(caller);
    this.overviews.keep({ name: jobPrefix });
    this.history.keepOverview(jobPrefix);
  }

  /** The row with what the history tells of the job, if that is known. */
  withPulse(row: JobRow): JobRow {
    return { ...row, ...this.history.pulseOf(row.job) };
  }

  /** Resolves once the history of what is shown is known, or soon after in any case. */
  ready(): Promise<void> {
    return this.history.ready();
  }

  stop(): void {
    this.history.stop();
  }
}
