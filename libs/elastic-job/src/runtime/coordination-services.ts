import type { Clock } from '../clock/index.js';
import {
  Absences,
  type AssertFits,
  assertFitsOneTransaction,
  ConfigurationService,
  ExecutionService,
  FailoverQueue,
  GuaranteeService,
  InstanceService,
  JobTrees,
  LeaderService,
  ServerRetention,
  ServerService,
  ShardingService,
  type StrategyLookup,
} from '../coordination/index.js';
import type { RegistryCenter } from '../registry/index.js';

/** The services of one process, each made once and given the same collaborators. */
export interface CoordinationServices {
  readonly trees: JobTrees;
  readonly configurations: ConfigurationService;
  readonly instances: InstanceService;
  readonly servers: ServerService;
  readonly retention: ServerRetention;
  readonly absences: Absences;
  readonly leader: LeaderService;
  readonly executions: ExecutionService;
  readonly sharding: ShardingService;
  readonly queue: FailoverQueue;
  readonly guarantee: GuaranteeService;
}

export interface CoordinationOptions {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly strategies?: StrategyLookup;
  /** @see RuntimeOptions */
  readonly javaReconnectGraceMs: number;
}

export function createCoordinationServices({
  registry,
  clock,
  strategies,
  javaReconnectGraceMs,
}: CoordinationOptions): CoordinationServices {
  const trees = new JobTrees();
  const assertFits: AssertFits = (job) => assertFitsOneTransaction(registry, job);
  const configurations = new ConfigurationService(trees, assertFits, strategies);
  const executions = new ExecutionService(trees, configurations, registry, clock);
  const absences = new Absences(clock, javaReconnectGraceMs);
  return {
    trees,
    absences,
    configurations,
    instances: new InstanceService(trees, registry, clock),
    servers: new ServerService(trees, registry),
    retention: new ServerRetention(configurations, registry, clock),
    leader: new LeaderService(trees, registry, clock),
    executions,
    sharding: new ShardingService(trees, configurations, registry, clock),
    queue: new FailoverQueue(trees, configurations, executions, registry, clock, absences),
    guarantee: new GuaranteeService(trees, configurations, registry, clock),
  };
}
