import type { Clock } from '../../clock/index.js';
import type { CoordinationServices, JobTree } from '../../coordination/index.js';
import type { KnownListener, ItemWork, JobType, Schedules, TaskLife } from '../../domain/index.js';
import type { FairTurns, JobErrorHandlers, JobExecutor } from '../../executor/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { RegistryTurns } from './registry-turns.js';
import type { NewsFeed } from './job-news.js';
import type { ResolvedRuntimeOptions } from './runtime-options.js';
import type { JobSchedule } from './job-schedule.js';
import type { JobSettings } from './job-settings.js';
import type { LateRuns } from './late-runs.js';
import type { RunningItems } from './running-items.js';
import type { ScheduleClock } from './schedule-clock.js';
import type { SettingsNews } from './settings-news.js';
import type { WorkErrors } from './work-errors.js';

/** Parts that all jobs of a process share. */
export interface ProcessContext {
  readonly options: ResolvedRuntimeOptions;
  readonly services: CoordinationServices;
  /** Events for sinks and users. */
  readonly events: JobEvents;
  readonly errorHandlers: JobErrorHandlers;
  /** Errors of the process's own work. */
  readonly errors: WorkErrors;
  readonly lateRuns: LateRuns;
  readonly settingsNews: SettingsNews;
  /** Shares the event loop among the handlers of all jobs, those of the code first. */
  readonly turns: FairTurns;
  /** Turns of the created jobs at the registry. */
  readonly registryTurns: RegistryTurns;
  /** Decides if a fire time has come. */
  readonly scheduleClock: ScheduleClock;
  readonly schedules: Schedules;
}

/** One job during one session of the registry, as all its parts see it. */
export interface JobContext extends Omit<ProcessContext, 'errors' | 'registryTurns' | 'schedules' | 'settingsNews'> {
  /** Its turns at the registry, if it was created from a template; the code's jobs wait for none. */
  readonly registryTurns: RegistryTurns | undefined;
  /** The job's nodes. Its signal aborts when the session is over. */
  readonly tree: JobTree;
  readonly settings: JobSettings;
  readonly schedule: Pick<JobSchedule, 'excluded' | 'willTick'>;
  /** Shared by all sessions of the job, since a handler that outlives its session still occupies its item. */
  readonly running: RunningItems;
  readonly handler: ItemWork;
  /** Called after a run of the handler is settled. @default not called */
  readonly settled?: JobType['settled'];
  /** Set if tasks do the job's work. @default the handler does */
  readonly tasks?: TaskLife;
  readonly listeners: readonly KnownListener[];
  readonly executor: JobExecutor;
  /** News among the parts of this session. */
  readonly news: NewsFeed;
  readonly clock: Clock;
  /** Returns a function that reports the failure of some work, unless the session is over. */
  report(work: string): (error: unknown) => void;
}
