// `nestjs-elastic-job/errors`: errors that neither the front door nor an entry of their subject exports.

export {
  ConfigurationNodeError,
  ContentionError,
  ElasticJob2ConfigurationError,
  GuaranteeTimeoutError,
  InstanceIdTakenError,
  RemovedFromJobError,
} from '../coordination/index.js';
export {
  CheckpointValueError,
  InvalidShardingError,
  MissingPackageError,
  ShardingItemParametersError,
  ShuttingDownError,
  TimeDifferenceError,
} from '../domain/index.js';
