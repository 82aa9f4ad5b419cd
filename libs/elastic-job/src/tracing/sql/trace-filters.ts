import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import type { TraceDatabase } from './trace-database.js';
import type { TraceDialect } from './trace-dialect.js';
import type { ExecutionFilter, TraceFilter } from '../trace-query.js';

/** Condition of a query for rows of `JOB_EXECUTION_LOG`. */
export function executionConditions(query: ExecutionFilter, dialect: TraceDialect) {
  const { from, isComplete, isSuccess, jobName, runningAt, source, taskId, to } = query;
  return (eb: ExpressionBuilder<TraceDatabase, 'jobExecutionLog'>): Expression<SqlBool> => {
    const conditions = [eb('startTime', 'is not', null)];
    if (jobName !== undefined) conditions.push(eb('jobName', '=', jobName));
    if (taskId !== undefined) conditions.push(eb('taskId', '=', taskId));
    if (from !== undefined) conditions.push(eb('startTime', '>=', dialect.time(from.getTime())));
    if (to !== undefined) conditions.push(eb('startTime', '<', dialect.time(to.getTime())));
    if (isSuccess !== undefined) conditions.push(eb('isSuccess', '=', dialect.flag(isSuccess)));
    if (isComplete !== undefined) conditions.push(eb('completeTime', isComplete ? 'is not' : 'is', null));
    if (source !== undefined) conditions.push(eb('executionSource', '=', source));
    if (runningAt === undefined) return eb.and(conditions);
    const at = dialect.time(runningAt.getTime());
    const isOpen = eb.or([eb('completeTime', 'is', null), eb('completeTime', '>', at)]);
    return eb.and([...conditions, eb('startTime', '<=', at), isOpen]);
  };
}

/** Condition of a query for rows of `JOB_STATUS_TRACE_LOG`. */
export function statusConditions({ from, jobName, taskId, to }: TraceFilter, dialect: TraceDialect) {
  return (eb: ExpressionBuilder<TraceDatabase, 'jobStatusTraceLog'>): Expression<SqlBool> => {
    const conditions = [eb('creationTime', 'is not', null)];
    if (jobName !== undefined) conditions.push(eb('jobName', '=', jobName));
    if (taskId !== undefined) conditions.push(eb('taskId', '=', taskId));
    if (from !== undefined) conditions.push(eb('creationTime', '>=', dialect.time(from.getTime())));
    if (to !== undefined) conditions.push(eb('creationTime', '<', dialect.time(to.getTime())));
    return eb.and(conditions);
  };
}
