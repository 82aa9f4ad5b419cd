import { ElasticJobError } from '../../domain/index.js';

/** The history's database has not answered in time. The write is tried again; it may have been done. */
export class HistoryTimeoutError extends ElasticJobError {
  readonly code = 'HISTORY_TIMEOUT';

  constructor(readonly timeoutMs: number) {
    super(`The history's database has not answered within ${timeoutMs} ms; is it up, and are its connections free?`);
  }
}
