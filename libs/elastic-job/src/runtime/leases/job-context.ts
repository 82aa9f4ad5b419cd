// Covered by test/scenario/sharded-runs.spec.ts
import type { Clock } from '../../clock/index.js';
import type { CoordinationServices, JobTree } from '../../coordination/index.js';
import type { ElasticJobListener, ItemWork, JobType, Schedules, TaskLife } from '../../domain/index.js';
import type { FairTurns, JobErrorHandlers, JobExecutor } from '../../executor/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { Audience, JobNewsFeed } from './job-news.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import type { JobSchedule } from './job-schedule.js';
import type { JobSettings } from './job-settings.js';
import type { LateRuns } from './late-runs.js';
import type { RunningItems } from './running-items.js';
import type { ScheduleClock } from './schedule-clock.js';

/** What all jobs of a process share. */
export interface ProcessContext {
  readonly options: ResolvedRuntimeOptions;
  readonly services: CoordinationServices;
  /** What is told to sinks and users. */
  readonly events: JobEvents;
  readonly errorHandlers: JobErrorHandlers;
  readonly lateRuns: LateRuns;
  /** By which the handlers of all jobs share the event loop. */
  readonly turns: FairTurns;
  /** Judges whether a fire time has come. */
  readonly scheduleClock: ScheduleClock;
  readonly schedules: Schedules;
  /** Joined by what hears the news of a job. */
  readonly audience: Audience;
}

/** One job during one session of the registry, as everything sees it that works for it. */
export interface JobContext extends Omit<ProcessContext, 'audience' | 'schedules'> {
  /** The job's nodes. Its signal aborts when the session is over. */
  readonly tree: JobTree;
  readonly settings: JobSettings;
  readonly schedule: Pick<JobSchedule, 'excluded' | 'willTick'>;
  /** Shared by all sessions of the job: a handler that outlives its session still occupies its item. */
  readonly running: RunningItems;
  readonly handler: ItemWork;
  /** Called after a run of the handler is settled. @default nobody is */
  readonly settled?: JobType['settled'];
  /** The job's work is done by tasks. @default it is not */
  readonly tasks?: TaskLife;
  readonly listeners: readonly ElasticJobListener[];
  readonly executor: JobExecutor;
  /** What the parts of this session tell each other. */
  readonly news: JobNewsFeed;
  readonly clock: Clock;
  /** Tells that the work has failed, unless the session is over. */
  report(work: string): (error: unknown) => void;
}
