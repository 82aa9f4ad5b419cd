/** Name that `@ElasticJobTemplate` declares, under which jobs are created while the cluster runs. */
export type TemplateName = string;

/** A job that was created from a template, as the text of its root node describes it. */
export interface CreatedJob {
  readonly template: TemplateName;
  /** True if the job is to be removed: instances leave it, and the last one deletes its nodes. */
  readonly isBeingRemoved: boolean;
}

const PREFIXES = { alive: 'nestjs.template:', removed: 'nestjs.removed:' };

/** Text of the root node of a job that was created from a template. A Java peer takes it for another job's class. */
export function createdRoot(template: TemplateName): string {
  return PREFIXES.alive + template;
}

/** Text of the same node once the job is to be removed. */
export function removedRoot(template: TemplateName): string {
  return PREFIXES.removed + template;
}

/**
 * Reads the text of a job's root node.
 * @param text the node's data
 * @returns undefined for a job that was not created from a template
 */
export function parseCreatedJob(text: string): CreatedJob | undefined {
  for (const [state, prefix] of Object.entries(PREFIXES)) {
    if (text.startsWith(prefix)) return { template: text.slice(prefix.length), isBeingRemoved: state === 'removed' };
  }
  return undefined;
}
