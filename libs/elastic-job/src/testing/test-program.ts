import type { Clock } from '../clock/index.js';
import type { RegistryCenter } from '../registry/index.js';
import type { ElasticJobRuntime } from '../runtime/index.js';
import type { INestApplicationContext } from './nest/application-context.js';

/** A simulated process, as its program sees it. */
export interface TestProcess {
  /** Its index in the cluster. */
  readonly index: number;
  /** Its own clock: timers are paused with the process, and end with it. */
  readonly clock: Clock;
  /** Its client of the registry that all instances share. */
  readonly center: RegistryCenter;
}

/** Program of a simulated process, ready to be started. */
export interface TestProgram {
  /** No job is registered before `start`. */
  readonly runtime: ElasticJobRuntime;
  /** The application, if there is one. */
  readonly app?: INestApplicationContext;
  /** Resolves when its jobs have started. */
  start(): Promise<void>;
  /** Drains, leaves and releases everything. Idempotent. */
  stop(): Promise<void>;
}
