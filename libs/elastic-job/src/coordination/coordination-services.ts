import { type Clock, hostTime, type ScheduleTime } from '../clock/index.js';
import type { RunTracer } from '../domain/index.js';
import type { RegistryCenter } from '../registry/index.js';
import { Configurations, type PropTrust, type StrategyLookup } from './configuration/index.js';
import { Dependencies, type UnmetDependency } from './dependencies/index.js';
import { type DelayedSettles, Executions } from './execution/index.js';
import { FailoverQueue, OrphanSweep } from './failover/index.js';
import { Guarantees } from './guarantee/index.js';
import { JobTrees } from './job-tree/index.js';
import { Leadership } from './leadership/index.js';
import { Absences, Instances, ServerRetention, Servers } from './membership/index.js';
import { fitsOneTransactionOf, Sharding } from './sharding/index.js';

/** Services of one process, each created once with shared collaborators. */
export interface CoordinationServices {
  readonly trees: JobTrees;
  readonly configurations: Configurations;
  readonly instances: Instances;
  readonly servers: Servers;
  readonly retention: ServerRetention;
  /** Missing Java peers. */
  readonly absences: Absences;
  /** Instances of ours that an operator has shut down. */
  readonly shutdowns: Absences;
  readonly leader: Leadership;
  readonly executions: Executions;
  readonly sharding: Sharding;
  readonly queue: FailoverQueue;
  readonly orphans: OrphanSweep;
  readonly guarantee: Guarantees;
  readonly dependencies: Dependencies;
}

interface CoordinationOptions {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly strategies?: StrategyLookup;
  /** @default the registry is followed in all props */
  readonly trust?: PropTrust;
  /** @see RuntimeOptions */
  readonly javaReconnectGraceMs: number;
  readonly tracer?: RunTracer;
  /**
   * Time that decides fire times.
   * @default the host's clock
   */
  readonly scheduleClock?: ScheduleTime;
  /** Called with each job that does not start because of how an item ended here. */
  readonly onUnmet?: (unmet: UnmetDependency) => void;
  /** Called with ends that the registry does not record in time. */
  readonly onDelayed?: (delayed: DelayedSettles) => void;
}

export function createCoordinationServices({
  registry,
  clock,
  strategies,
  trust,
  javaReconnectGraceMs,
  scheduleClock = hostTime(clock),
  ...reports
}: CoordinationOptions): CoordinationServices {
  const trees = new JobTrees();
  const configurations = new Configurations(trees, fitsOneTransactionOf(registry), strategies, trust);
  const executions = new Executions(trees, configurations, clock, { ...reports, scheduleClock });
  const absences = new Absences(clock, () => javaReconnectGraceMs);
  const shutdowns = new Absences(clock, (jobName) => configurations.current(jobName).shutdownGraceMs);
  return {
    trees,
    absences,
    shutdowns,
    configurations,
    instances: new Instances(trees, clock),
    servers: new Servers(trees),
    retention: new ServerRetention(configurations, clock),
    leader: new Leadership(trees, clock),
    executions,
    sharding: new Sharding(trees, configurations, clock, scheduleClock),
    queue: new FailoverQueue(trees, configurations, executions, clock),
    orphans: new OrphanSweep(configurations, clock, absences, shutdowns),
    guarantee: new Guarantees(trees, configurations, clock),
    dependencies: new Dependencies(trees, configurations, registry, scheduleClock),
  };
}
