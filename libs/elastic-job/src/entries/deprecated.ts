// Old places of names that documents have mentioned (createShardingStrategy and javaHashCode only in that of the public
// API). They are removed with 0.2.

export {
  /** @deprecated Import it from `nestjs-elastic-job/tools`. */
  createShardingStrategy,
  /** @deprecated Import it from `nestjs-elastic-job/tools`. */
  importElasticJob2Configuration,
  /** @deprecated Import it from `nestjs-elastic-job/tools`. */
  javaHashCode,
  /** @deprecated Import it from `nestjs-elastic-job/tools`. */
  nextFireTimes,
} from './tools.js';
export {
  /** @deprecated Import it from `nestjs-elastic-job/error-handlers`. */
  DingtalkErrorHandler,
  /** @deprecated Import it from `nestjs-elastic-job/error-handlers`. */
  SlackErrorHandler,
  /** @deprecated Import it from `nestjs-elastic-job/error-handlers`. */
  WebhookErrorHandler,
  /** @deprecated Import it from `nestjs-elastic-job/error-handlers`. */
  WechatErrorHandler,
} from './error-handlers.js';
export {
  /** @deprecated Import it from `nestjs-elastic-job/http`. */
  HttpJobError,
  /** @deprecated Import it from `nestjs-elastic-job/http`. */
  HttpJobType,
} from './http.js';
export {
  /** @deprecated Import it from `nestjs-elastic-job/guards/zookeeper`. */
  FenceNodeError,
  /** @deprecated Import it from `nestjs-elastic-job/guards/zookeeper`. */
  MissingTokenError,
  /** @deprecated Import it from `nestjs-elastic-job/guards/zookeeper`. */
  ZooKeeperGuard,
} from './zookeeper-guard.js';
export {
  /** @deprecated Import it from `nestjs-elastic-job/operations`. */
  JobConfigurationApi,
  /** @deprecated Import it from `nestjs-elastic-job/operations`. */
  JobOperateApi,
  /** @deprecated Import it from `nestjs-elastic-job/operations`. */
  JobStatisticsApi,
  /** @deprecated Import it from `nestjs-elastic-job/operations`. */
  ServerStatisticsApi,
  /** @deprecated Import it from `nestjs-elastic-job/operations`. */
  ShardingOperateApi,
  /** @deprecated Import it from `nestjs-elastic-job/operations`. */
  ShardingStatisticsApi,
} from './operations.js';
export {
  /** @deprecated Import it from `nestjs-elastic-job/registry`. */
  NoAuthError,
  /** @deprecated Import it from `nestjs-elastic-job/registry`. */
  ServerError,
  /** @deprecated Import it from `nestjs-elastic-job/registry`. */
  SessionLostError,
  /** @deprecated Import it from `nestjs-elastic-job/registry`. */
  UntrustedAclError,
} from './registry.js';
