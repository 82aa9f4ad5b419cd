import { ElasticJobError, hasMethods } from '../domain/index.js';
import type { JobHistory } from './job-history.js';
import type { RunHistory } from './trace-query.js';

/**
 * There is no history of runs to answer from.
 * @remarks Give `ElasticJobModule` the option `tracing: [new SqlHistory(db)]`.
 */
class MissingRunHistoryError extends ElasticJobError {
  readonly code = 'MISSING_RUN_HISTORY';

  constructor() {
    super(
      'No history of runs is kept; give ElasticJobModule the option tracing: [new SqlHistory(db)], of ' +
        'nestjs-elastic-job/tracing/sql.',
    );
  }
}

/** The application's history of runs, with its tables. */
export class ApplicationRunHistory {
  private readonly history: RunHistory | undefined;

  /** @param sinks those of the option `tracing`; the first readable one is the history */
  constructor(sinks: readonly object[]) {
    this.history = sinks.find((sink): sink is RunHistory => isHistory(sink));
  }

  /** @throws {MissingRunHistoryError} @throws the driver's error */
  async open(): Promise<RunHistory> {
    if (this.history === undefined) throw new MissingRunHistoryError();
    await this.history.migrate();
    return this.history;
  }
}

/** The application's history of fire times, attempts and events, with its tables. */
export class ApplicationJobHistory {
  private readonly history: (JobHistory & Pick<RunHistory, 'migrate'>) | undefined;

  /** @param sinks those of the option `tracing`; the first one that answers as a `JobHistory` is the history */
  constructor(sinks: readonly object[]) {
    this.history = sinks.find((sink): sink is JobHistory & Pick<RunHistory, 'migrate'> => isJobHistory(sink));
  }

  /** @throws {MissingRunHistoryError} @throws the driver's error */
  async open(): Promise<JobHistory> {
    if (this.history === undefined) throw new MissingRunHistoryError();
    await this.history.migrate();
    return this.history;
  }
}

/** `SqlHistory` is recognized by its methods: importing its file would need kysely, which is an optional package. */
function isHistory(sink: object): boolean {
  return hasMethods(sink, 'migrate', 'executions', 'statuses', 'countExecutions', 'countStatuses');
}

/** A history that only reads ElasticJob's two tables, as an older one, is none. */
function isJobHistory(sink: object): boolean {
  return hasMethods(sink, 'migrate', 'runs', 'run', 'events', 'missed', 'fireTimes', 'doubles', 'pulses', 'statistics');
}
