import type { JobEventSink, RunHistory } from '../../../tracing/index.js';
import { MissingRunHistoryError } from './cloud-rest.errors.js';

/** The application's history of runs, with its tables. */
export class CloudRunHistory {
  private readonly history: RunHistory | undefined;

  /** @param sinks those of the option `tracing`; the first readable one is the history */
  constructor(sinks: readonly JobEventSink[]) {
    this.history = sinks.find((sink): sink is JobEventSink & RunHistory => isHistory(sink));
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
