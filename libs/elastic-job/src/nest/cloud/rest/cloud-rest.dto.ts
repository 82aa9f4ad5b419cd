import { Ruled } from '../../../domain/index.js';
import {
  CLOUD_APP_ROWS,
  CLOUD_JOB_ROWS,
  type CloudAppOptions,
  type CloudJobConfiguration,
  type CloudJobOptions,
} from '../../../cloud/index.js';

/** The body of a request that registers or changes an application. Its rules are class-validator's. */
@Ruled(CLOUD_APP_ROWS)
export class CloudAppDto implements CloudAppOptions {
  declare readonly appName: string;
  declare readonly appURL: string;
  declare readonly bootstrapScript: string;
  declare readonly cpuCount?: number;
  declare readonly memoryMB?: number;
  declare readonly appCacheEnable?: boolean;
  declare readonly eventTraceSamplingCount?: number;
}

/** The body of a request that registers or changes a job. Its rules are class-validator's. */
@Ruled(CLOUD_JOB_ROWS)
export class CloudJobDto implements CloudJobOptions {
  declare readonly appName: string;
  declare readonly cpuCount: number;
  declare readonly memoryMB: number;
  declare readonly jobExecutionType: CloudJobConfiguration['jobExecutionType'];
  declare readonly jobName: string;
  declare readonly cron?: string;
  declare readonly shardingTotalCount: number;
  declare readonly shardingItemParameters?: string;
  declare readonly jobParameter?: string;
  declare readonly monitorExecution?: boolean;
  declare readonly failover?: boolean;
  declare readonly misfire?: boolean;
  declare readonly maxTimeDiffSeconds?: number;
  declare readonly reconcileIntervalMinutes?: number;
  declare readonly jobShardingStrategyType?: string;
  declare readonly jobExecutorServiceHandlerType?: string;
  declare readonly jobErrorHandlerType?: string;
  declare readonly description?: string;
  declare readonly props?: Readonly<Record<string, string>>;
  declare readonly disabled?: boolean;
  declare readonly overwrite?: boolean;
}
