import type { InsertColumn } from './row-insert.js';
import type { TraceDialect } from './trace-dialect.js';
import type { ExecutionRow, StatusRow } from './trace-row.js';

/** The written columns of `JOB_EXECUTION_LOG`. */
export function executionColumns(dialect: TraceDialect): readonly InsertColumn<ExecutionRow>[] {
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'job_name', of: ({ jobName }) => jobName },
    { name: 'task_id', of: ({ taskId }) => taskId },
    { name: 'hostname', of: ({ hostname }) => hostname },
    { name: 'ip', of: ({ ip }) => ip },
    { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
    { name: 'execution_source', of: ({ executionSource }) => executionSource },
    { name: 'failure_cause', of: ({ failureCause }) => failureCause },
    { name: 'is_success', of: ({ isSuccess }) => dialect.flag(isSuccess) },
    { name: 'start_time', of: ({ startTime }) => dialect.time(startTime) },
    { name: 'complete_time', of: ({ completeTime }) => (completeTime === null ? null : dialect.time(completeTime)) },
  ];
}

/** The written columns of `JOB_STATUS_TRACE_LOG`. */
export function statusColumns(dialect: TraceDialect): readonly InsertColumn<StatusRow>[] {
  return [
    { name: 'id', of: ({ id }) => id },
    { name: 'job_name', of: ({ jobName }) => jobName },
    // Empty for every job outside of ElasticJob's Cloud.
    { name: 'original_task_id', always: "''" },
    { name: 'task_id', of: ({ taskId }) => taskId },
    { name: 'slave_id', of: ({ slaveId }) => slaveId },
    { name: 'source', always: "'LITE_EXECUTOR'" },
    { name: 'execution_type', always: "'READY'" },
    { name: 'sharding_item', of: ({ shardingItem }) => shardingItem },
    { name: 'state', of: ({ state }) => state },
    { name: 'message', of: ({ message }) => message },
    { name: 'creation_time', of: ({ creationTime }) => dialect.time(creationTime) },
  ];
}
