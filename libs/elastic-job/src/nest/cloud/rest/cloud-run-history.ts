import type { JobEventSink, RunHistory } from '../../../tracing/index.js';
import { MissingRunHistoryError } from './cloud-rest.errors.js';

/** The history of runs that the application keeps, with its tables. */
export class CloudRunHistory {
  private readonly history: RunHistory | undefined;

  /** @param sinks those of the option `tracing`; the first one that can be read is the history */
  constructor(sinks: readonly JobEventSink[]) {
    this.history = sinks.find((sink): sink is JobEventSink & RunHistory => isHistory(sink));
  }

  /** @throws {MissingRunHistoryError} @throws what the driver says */
  async open(): Promise<RunHistory> {
    if (this.history === undefined) throw new MissingRunHistoryError();
    await this.history.migrate();
    return this.history;
  }
}

/** `SqlHistory` is known by its methods: its file needs kysely, which is an optional package. */
function isHistory(sink: object): boolean {
  return ['migrate', 'executions', 'statuses', 'countExecutions', 'countStatuses'].every(
    (method) => typeof Reflect.get(sink, method) === 'function',
  );
}
