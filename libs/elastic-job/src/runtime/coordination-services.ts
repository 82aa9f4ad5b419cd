import type { Clock } from '../clock/index.js';
import {
  type AssertFits,
  assertFitsOneTransaction,
  ConfigurationService,
  ExecutionService,
  FailoverQueue,
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
  readonly leader: LeaderService;
  readonly executions: ExecutionService;
  readonly sharding: ShardingService;
  readonly queue: FailoverQueue;
}

export function createCoordinationServices(
  registry: RegistryCenter,
  clock: Clock,
  strategies?: StrategyLookup,
): CoordinationServices {
  const trees = new JobTrees();
  const assertFits: AssertFits = (job) => assertFitsOneTransaction(registry, job);
  const configurations = new ConfigurationService(trees, assertFits, strategies);
  const executions = new ExecutionService(trees, configurations, registry, clock);
  return {
    trees,
    configurations,
    instances: new InstanceService(trees, registry, clock),
    servers: new ServerService(trees),
    retention: new ServerRetention(configurations, registry, clock),
    leader: new LeaderService(trees, registry, clock),
    executions,
    sharding: new ShardingService(trees, configurations, registry, clock),
    queue: new FailoverQueue(trees, configurations, executions, registry, clock),
  };
}
