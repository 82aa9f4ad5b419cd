import type { CoordinationServices } from '../../coordination/index.js';
import type { Schedules } from '../../domain/index.js';
import type { JobErrorHandlers } from '../../executor/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { FairTurns, RegistryTurns } from '../../turns/index.js';
import type { ResolvedRuntimeOptions, SettingsNews } from '../settings/index.js';
import type { LateRuns } from './run-reports.js';
import type { ScheduleClock } from '../time/index.js';
import type { WorkErrors } from '../news/index.js';

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
