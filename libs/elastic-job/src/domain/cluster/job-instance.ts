/** One registered instance of a job: a session of one process. */
export interface JobInstance {
  /** `{ip}@-@{pid}-{session}`; the part before `@-@` equals `serverIp`. */
  readonly jobInstanceId: string;
  readonly serverIp: string;
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
