import { ElasticJobError } from '../domain/index.js';
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

/** `SqlHistory` is recognized by its methods: importing its file would need kysely, which is an optional package. */
function isHistory(sink: object): boolean {
  return ['migrate', 'executions', 'statuses', 'countExecutions', 'countStatuses'].every(
    (method) => typeof Reflect.get(sink, method) === 'function',
  );
}
