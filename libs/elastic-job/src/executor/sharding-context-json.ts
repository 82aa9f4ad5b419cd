import type { ShardingContext } from '../domain/index.js';

/**
 * The context for a process outside of this one: Java's fields in Java's order, without null fields.
 * @see ElasticJob, `HttpJobExecutor` and `ScriptJobExecutor`; Gson escapes the characters that have a meaning in HTML
 */
export function shardingContextJson(context: ShardingContext): string {
  const { jobName, taskId, shardingTotalCount, jobParameter, shardingItem, shardingParameter } = context;
  const fields = { jobName, taskId, shardingTotalCount, jobParameter, shardingItem, shardingParameter };
  return escapeEach(JSON.stringify(fields), /[<>&='\u2028\u2029]/g);
}

/** The same with the job's props, which Java does not pass. */
export function contextAndPropsJson(context: ShardingContext): string {
  return JSON.stringify({ ...JSON.parse(shardingContextJson(context)), props: context.props });
}

/** The same in ASCII, the only encoding of a header. */
export function shardingContextHeader(context: ShardingContext): string {
  return escapeEach(shardingContextJson(context), /[^\x20-\x7e]/g);
}

/** Escapes UTF-16 units, as JSON does. */
function escapeEach(json: string, characters: RegExp): string {
  return json.replaceAll(characters, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
