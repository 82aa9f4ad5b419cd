/** A job that is being made of a template. What is not touched is as the template says, and is not sent. */
import { FIELDS, type Field } from '../configuration/fields.js';
import { type Edits, type Fault, type Settings, valueOf } from '../configuration/form.js';

/** Settings that jobs of one template differ in. The others are edited once the job is there. */
export const NEW_JOB_FIELDS: readonly Field[] = [
  'cron',
  'timeZone',
  'shardingTotalCount',
  'shardingItemParameters',
  'jobParameter',
  'description',
  'props',
].flatMap((name) => FIELDS.get(name) ?? []);

export interface NewJob {
  readonly name: string;
  readonly template: string;
  readonly edits: Edits;
}

export interface CheckedJob {
  readonly name: string;
  readonly template: string;
  readonly settings: Settings;
  readonly faults: ReadonlyMap<string, Fault>;
  /** Names of fields that are empty, and may not be. */
  readonly missing: ReadonlySet<string>;
}

/** The job as the API takes it, and what is wrong with it as far as the page can tell. */
export function checkedJob({ edits, name, template }: NewJob): CheckedJob {
  const settings: Record<string, unknown> = {};
  const faults = new Map<string, Fault>();
  for (const field of NEW_JOB_FIELDS) {
    const raw = edits[field.name];
    if (raw === undefined) continue;
    const read = valueOf(field, raw);
    if ('fault' in read) faults.set(field.name, read.fault);
    else if (read.value !== null && read.value !== '') settings[field.name] = read.value;
  }
  const given: Settings = { name: name.trim(), template: template.trim(), ...settings };
  const needed = ['name', 'template', 'shardingTotalCount'].filter((field) => !faults.has(field));
  const missing = new Set(needed.filter((field) => given[field] === undefined || given[field] === ''));
  return { name: name.trim(), template: template.trim(), settings, faults, missing };
}

/** Names of templates, of which jobs are known. */
export function templatesOf(jobs: readonly { readonly template: string | null }[]): readonly string[] {
  return [...new Set(jobs.flatMap(({ template }) => template ?? []))].toSorted((a, b) => a.localeCompare(b));
}
