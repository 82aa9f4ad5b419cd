/** One registered instance of a job: a session of one process. */
export interface JobInstance {
  /** `{ip}@-@{pid}-{session}`; the part before `@-@` equals `serverIp`. */
  readonly jobInstanceId: string;
  readonly serverIp: string;
}

/** Separates the parts of instance ids and task ids in ElasticJob. */
export const ID_DELIMITER = '@-@';

/**
 * True for a name that can be an instance's: something on both sides of the delimiter. Java's and ours have no other.
 */
export function isInstanceId(name: string): boolean {
  return /^[^@]+@-@.+$/.test(name);
}

/** The `ip` part of an instance id, as Java computes it. */
export function serverIpOf(jobInstanceId: string): string {
  return jobInstanceId.split(ID_DELIMITER, 1)[0]!;
}

/**
 * The process of an instance, `{ip}@-@{pid}`: the same for each session that it has had. An id that the user has chosen
 * names its process by itself.
 */
export function processOf(jobInstanceId: string): string {
  return jobInstanceId.replace(/(@-@\d+)-[0-9a-f]+$/, '$1');
}

/**
 * Java reads every list of children in descending order of UTF-16 code units; the order of instances decides what a
 * strategy gives to whom.
 * @see ElasticJob, `ZookeeperRegistryCenter.getChildrenKeys`
 */
export function inJavaOrder(names: Iterable<string>): string[] {
  return [...names].toSorted().toReversed();
}
