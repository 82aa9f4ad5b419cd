import type { JobInstance, JobName } from '../cluster/index.js';
import { javaHashCode } from './java-hash-code.js';

/**
 * The instances in their rank for a job, the first one first. Each job ranks the same instances in another order, so
 * that the items that do not divide evenly go to other instances for each job. An instance that joins or leaves changes
 * no order among the others.
 *
 * The rank rises with an unsigned 32-bit number: Java's hash of the instance id, a slash and the job's name, mixed by
 * the finalizer of MurmurHash3. Of equal numbers the instance comes first that Java's order has first. Every release
 * has to rank alike, since each of them may lead a job: a changed rule moves items whenever the leader changes.
 * @param instances in Java's order
 * @see MurmurHash3 by Austin Appleby, `fmix32`
 */
export function rankInstances(instances: readonly JobInstance[], jobName: JobName): readonly JobInstance[] {
  const ranks = new Map(
    instances.map((instance) => [instance, mixed(javaHashCode(`${instance.jobInstanceId}/${jobName}`))]),
  );
  return instances.toSorted((a, b) => ranks.get(a)! - ranks.get(b)!);
}

/** Spreads hashes that differ little, as those of numbered names, evenly over all numbers of 32 bits. */
function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85eb_ca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
