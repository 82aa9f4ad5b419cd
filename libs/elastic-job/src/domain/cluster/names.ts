/** The text that names a job everywhere: in the registry, in logs and as the first argument of every service. */
export type JobName = string;

/**
 * Control, surrogate and private-use characters, and everything beyond the basic plane: ZooKeeper refuses them in a
 * path.
 */
const NOT_IN_A_PATH = /[\p{Cc}\p{Cs}\p{Co}\u{fff0}-\u{10ffff}]/u;

/** Java puts the name unescaped into a regular expression: `a+b` misses events, and `a(b` fails. A dot is harmless. */
const PATTERN_CHARACTER = /[()[\]{}*+?^$|\\]/;

/**
 * Finds the fault of a job's name, as the end of a sentence that begins with the name; undefined if the name is valid.
 * @see ElasticJob's paths and task ids, and the path rules of ZooKeeper and Curator.
 */
export function findJobNameFault(name: unknown): string | undefined {
  if (typeof name !== 'string' || name === '') return 'must be a text that is not empty';
  if (name === '.' || name === '..') return 'must not be a relative path';
  if (name === 'zookeeper') return 'must not be the name of a node that ZooKeeper keeps for itself';
  if (name.includes('/')) return 'must not contain "/", which separates nodes in ZooKeeper';
  if (name.includes(ID_DELIMITER)) return `must not contain "${ID_DELIMITER}", which separates the parts of task ids`;
  if (NOT_IN_A_PATH.test(name)) return 'must not contain control, private-use or astral characters (such as emoji)';
  if (PATTERN_CHARACTER.test(name)) return 'must not contain ( ) [ ] { } * + ? ^ $ | \\, which break Java instances';
  return undefined;
}

/** One registered instance of a job: a session of one process. */
export interface JobInstance {
  /** `{ip}@-@{pid}-{session}`; the part before `@-@` equals `serverIp`. */
  readonly jobInstanceId: string;
  readonly serverIp: string;
  /** Release of its application; undefined if it tells none, as Java's instances. */
  readonly version?: string | undefined;
}

/** Separates the parts of instance ids and task ids in ElasticJob. */
export const ID_DELIMITER = '@-@';

/**
 * True for a name that can be an instance's, with text on both sides of the delimiter. All ids of Java and ours have
 * this form.
 */
export function isInstanceId(name: string): boolean {
  return /^[^@]+@-@.+$/.test(name);
}

/** The `ip` part of an instance id, as Java computes it. */
export function serverIpOf(jobInstanceId: string): string {
  return jobInstanceId.split(ID_DELIMITER, 1)[0]!;
}

/**
 * Returns `{ip}@-@{pid}`, the process of an instance: the same for each session of that process. An id that the user
 * has configured names its process by itself.
 */
export function processOf(jobInstanceId: string): string {
  return jobInstanceId.replace(/(@-@\d+)-[0-9a-f]+$/, '$1');
}

/**
 * Sorts as Java does: by UTF-16 code units, descending. The order of the instances decides which items a strategy gives
 * to each of them.
 * @see ElasticJob, `ZookeeperRegistryCenter.getChildrenKeys`
 */
export function inDescendingOrder(names: Iterable<string>): string[] {
  return [...names].toSorted().toReversed();
}
