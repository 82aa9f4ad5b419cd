import type { ShardingContext } from '../domain/index.js';

/**
 * The context as a process outside of this one is told it: Java's fields in Java's order, null ones left out.
 * @see ElasticJob, `HttpJobExecutor` and `ScriptJobExecutor`; Gson escapes what HTML gives a meaning
 */
export function shardingContextJson(context: ShardingContext): string {
  const { jobName, taskId, shardingTotalCount, jobParameter, shardingItem, shardingParameter } = context;
  const fields = { jobName, taskId, shardingTotalCount, jobParameter, shardingItem, shardingParameter };
  return escapeEach(JSON.stringify(fields), /[<>&='\u2028\u2029]/g);
}

/** The same with the job's props, for a process that is told more than Java tells it. */
export function contextAndPropsJson(context: ShardingContext): string {
  return JSON.stringify({ ...JSON.parse(shardingContextJson(context)), props: context.props });
}

/** The same in ASCII, since a header cannot hold anything else. */
export function shardingContextHeader(context: ShardingContext): string {
  return escapeEach(shardingContextJson(context), /[^\x20-\x7e]/g);
}

/** By UTF-16 units, as JSON does. */
function escapeEach(json: string, characters: RegExp): string {
  return json.replaceAll(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
