import type { JobName } from '../../domain/index.js';

/** Facts that decide when a job of this process joins. */
interface OrderedJob {
  readonly jobName: JobName;
  readonly configuration: { readonly after: readonly JobName[] };
}

/**
 * Splits jobs into groups whose jobs may join together: each job comes after those of this process after which it
 * starts. Jobs that wait for each other come last, and are refused when they join.
 */
export function startOrder<J extends OrderedJob>(jobs: readonly J[]): readonly (readonly J[])[] {
  const groups: (readonly J[])[] = [];
  for (let left = jobs; left.length > 0;) {
    const names = new Set(left.map(({ jobName }) => jobName));
    const free = left.filter(({ configuration }) => !configuration.after.some((name) => names.has(name)));
    const group = free.length > 0 ? free : left;
    groups.push(group);
    const joining = new Set(group);
    left = left.filter((job) => !joining.has(job));
  }
  return groups;
}
