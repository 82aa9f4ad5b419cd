/** What `@ElasticJobTemplate` declares: a name under which jobs are created while the cluster runs. */
export type TemplateName = string;

/** What the text of a job's root says of a job that was created from a template. */
export interface CreatedJob {
  readonly template: TemplateName;
  /** Somebody wants it to go: instances leave it, and the last one deletes its nodes. */
  readonly isBeingRemoved: boolean;
}

const PREFIXES = { alive: 'nestjs.template:', removed: 'nestjs.removed:' };

/** Text of the root of a job that was created from a template. A Java peer takes it for another job's class. */
export function createdRoot(template: TemplateName): string {
  return PREFIXES.alive + template;
}

/** The same once the job is to go. */
export function removedRoot(template: TemplateName): string {
  return PREFIXES.removed + template;
}

/** @param text the data of a job's root @returns undefined for a job of any other kind */
export function parseCreatedJob(text: string): CreatedJob | undefined {
  for (const [state, prefix] of Object.entries(PREFIXES)) {
    if (text.startsWith(prefix)) return { template: text.slice(prefix.length), isBeingRemoved: state === 'removed' };
  }
  return undefined;
}
