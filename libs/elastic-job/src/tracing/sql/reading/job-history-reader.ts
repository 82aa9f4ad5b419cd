import { isMissingTable, messageOf } from '../../../domain/index.js';
import type {
  DoubleRun,
  EventQuery,
  FireTimesAnswer,
  FireTimesQuery,
  JobHistory,
  JobHistoryEvent,
  JobPulse,
  JobRun,
  JobRunDetail,
  MissedFireTimes,
  RunQuery,
  StatisticsBucket,
  StatisticsQuery,
} from '../../job-history.js';
import type { TracePage } from '../../trace-query.js';
import { MissingHistoryTableError } from '../history.errors.js';
import type { TraceDb } from '../trace-row.js';
import type { TraceStore } from '../trace-store.js';
import { DoubleReader } from './double-reader.js';
import { EventReader } from './event-reader.js';
import { FireTimeReader } from './fire-time-reader.js';
import { PulseReader } from './pulse-reader.js';
import { JOB_HISTORY_TABLES } from './query-tables.js';
import { RunReader } from './run-reader.js';
import { StatisticsReader } from './statistics-reader.js';

/**
 * Answers from our own tables and ElasticJob's. Each method checks its options first. None keeps anything between
 * calls; rows that are written meanwhile do not shift the pages.
 */
export class JobHistoryReader implements JobHistory {
  private readonly runReader: RunReader;
  private readonly eventReader: EventReader;
  private readonly fireTimeReader: FireTimeReader;
  private readonly doubleReader: DoubleReader;
  private readonly pulseReader: PulseReader;
  private readonly statisticsReader: StatisticsReader;

  constructor(private readonly store: TraceStore) {
    const { dialect } = store;
    this.runReader = new RunReader(dialect);
    this.eventReader = new EventReader(dialect);
    this.fireTimeReader = new FireTimeReader(dialect);
    this.doubleReader = new DoubleReader(dialect);
    this.pulseReader = new PulseReader(dialect);
    this.statisticsReader = new StatisticsReader(dialect);
  }

  runs(query: RunQuery): Promise<TracePage<JobRun>> {
    return this.answer('runs', query, (db, checked) => this.runReader.runs(db, checked));
  }

  async run(id: string): Promise<JobRunDetail | undefined> {
    // No row has another id, and a database may refuse what is no text for it.
    if (typeof id !== 'string' || !/^[!-~]{1,40}$/.test(id)) return undefined;
    return this.read((db) => this.runReader.run(db, id));
  }

  events(query: EventQuery): Promise<TracePage<JobHistoryEvent>> {
    return this.answer('events', query, (db, checked) => this.eventReader.events(db, checked));
  }

  missed(query: EventQuery): Promise<TracePage<MissedFireTimes>> {
    return this.answer('missed', query, (db, checked) => this.eventReader.missed(db, checked));
  }

  fireTimes(query: FireTimesQuery): Promise<FireTimesAnswer> {
    return this.answer('fireTimes', query, (db, checked) => this.fireTimeReader.fireTimes(db, checked));
  }

  doubles(query: Parameters<JobHistory['doubles']>[0]): Promise<readonly DoubleRun[]> {
    return this.answer('doubles', query, (db, checked) => this.doubleReader.doubles(db, checked));
  }

  pulses(query: Parameters<JobHistory['pulses']>[0]): Promise<readonly JobPulse[]> {
    return this.answer('pulses', query, (db, { fireTimes = 10, jobNames }) =>
      this.pulseReader.pulses(db, [...new Set(jobNames)], fireTimes),
    );
  }

  statistics(query: StatisticsQuery): Promise<readonly StatisticsBucket[]> {
    return this.answer('statistics', query, (db, checked) => this.statisticsReader.statistics(db, checked));
  }

  private async answer<Query extends object, Answer>(
    method: keyof typeof JOB_HISTORY_TABLES,
    given: Query,
    work: (db: TraceDb, query: Query) => Promise<Answer>,
  ): Promise<Answer> {
    const query = JOB_HISTORY_TABLES[method].checked(`SqlHistory.${method}`, given);
    return this.read((db) => work(db, query));
  }

  private async read<Answer>(work: (db: TraceDb) => Promise<Answer>): Promise<Answer> {
    const db = await this.store.connection();
    return work(db).catch((error: unknown) => {
      throw isMissingTable(error) ? new MissingHistoryTableError(tableOf(error), { cause: error }) : error;
    });
  }
}

/** The table that an error names, as all databases do. */
function tableOf(error: unknown): string {
  const name = /elastic_job_(?:run|attempt|event|stat)\b|job_execution_log/i.exec(messageOf(error))?.[0];
  return (name ?? 'ELASTIC_JOB_RUN').toUpperCase();
}
