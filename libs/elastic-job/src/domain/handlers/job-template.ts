import { ConfigurationError, ElasticJobError } from '../errors.js';
import { NODE_TEXT_LIMITS } from '../node-text.js';
import { byName, type JobConfiguration, namesOf, OptionTable, wholeNumber } from '../options/index.js';
import { shortestIntervalMs } from '../schedule/index.js';
import { assertNoFaults, type CheckProps, faultsOf, type JobProps, type OnThrown } from './job-props.js';
import type { FindPropsFaults } from './job-type.js';

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

/**
 * Limits of the jobs that are created from a template. Writers of the registry decide which jobs there are; the process
 * decides how many of them it takes part in, and how large and how frequent they may be.
 */
export interface TemplateLimits {
  /**
   * Most jobs of the template in a namespace. The oldest ones run; the others rest until one of those goes. A job at
   * rest takes about 25 KB of each instance: the default is 50 MB.
   * @default 2_000
   */
  readonly maxJobs?: number;
  /**
   * Most items of a job (`shardingTotalCount`). An item has nodes in the registry, and some kilobytes of memory in each
   * instance while it runs.
   * @default 100
   */
  readonly maxItems?: number;
  /**
   * Least time between two fire times of a job's `cron`, in milliseconds. The default is the shortest interval of a
   * cron expression. Starts after other jobs (`after`) follow these jobs.
   * @default 1_000
   */
  readonly minIntervalMs?: number;
  /**
   * Most bytes of a job's text in the registry (`config`), which has what differs from the template: settings,
   * parameters of items, props. A longer text is not read. A job takes up to five times as much of each instance, and
   * they all may change at once. From 1 to 262_144.
   * @default 16_384
   */
  readonly maxConfigBytes?: number;
  /**
   * Checks the props of a job, those of the template included, when it is created and whenever its settings in the
   * registry change. With a fault nothing of the job begins.
   * @default all props are accepted
   */
  readonly findPropsFaults?: FindPropsFaults;
}

/** The name of a limit that is a number. */
export type TemplateLimit = 'maxJobs' | 'maxItems' | 'minIntervalMs' | 'maxConfigBytes';

/** Limits of one template, with their defaults. */
export interface ResolvedTemplateLimits extends Required<Pick<TemplateLimits, TemplateLimit>> {
  readonly template: TemplateName;
  readonly findPropsFaults?: CheckProps;
}

const atLeastOne = wholeNumber({ from: 1 });
/** Rules and defaults of the limits that are numbers. */
export const TEMPLATE_LIMITS = {
  maxJobs: { rule: atLeastOne, default: 2_000 },
  maxItems: { rule: atLeastOne, default: 100 },
  minIntervalMs: { rule: atLeastOne, default: 1_000 },
  maxConfigBytes: { rule: wholeNumber({ from: 1, to: NODE_TEXT_LIMITS.bytes }), default: 16_384 },
};
const TABLE = new OptionTable(TEMPLATE_LIMITS, 'a template');

/** Schedules are judged from here on, in UTC, so that all instances come to one result and no clock change counts. */
const REFERENCE = Date.UTC(2001, 0, 1);

/**
 * A job created from a template is beyond a limit of the template: it is not created, or rests while the template's
 * other jobs run on.
 * @remarks Remove jobs, change the job within the limit, or raise the limit that the error names in
 *   `@ElasticJobTemplate`.
 */
export class TemplateLimitError extends ElasticJobError {
  readonly code = 'TEMPLATE_LIMIT';

  constructor(
    readonly template: TemplateName,
    readonly limit: TemplateLimit,
    /** The value of the limit. */
    readonly allowed: number,
    /** The number of jobs, of items, or of bytes as far as they were read, or the interval in milliseconds. */
    readonly value: number,
  ) {
    super(describe(template, limit, allowed, value));
  }
}

/** @throws {ConfigurationError} that names each wrong limit with its value */
export function resolveTemplateLimits(template: TemplateName, given: TemplateLimits, place: string) {
  const { findPropsFaults } = given;
  const limits = byName<Readonly<Record<TemplateLimit, number>>>(
    namesOf(TEMPLATE_LIMITS),
    (name) => given[name] ?? TEMPLATE_LIMITS[name].default,
  );
  const broken = TABLE.findBroken(limits);
  const isFunction = findPropsFaults === undefined || typeof findPropsFaults === 'function';
  if (!isFunction) broken.push(`findPropsFaults must be a function, but is ${typeof findPropsFaults}`);
  if (broken.length > 0) throw new ConfigurationError(place, broken);
  const check: CheckProps | undefined =
    findPropsFaults && ((props, onThrown) => faultsOf(() => findPropsFaults(props), onThrown));
  return Object.freeze({ template, ...limits, findPropsFaults: check }) satisfies ResolvedTemplateLimits;
}

/** @throws {TemplateLimitError} if a job's settings are beyond the limits of its template */
export function assertWithinLimits(
  { template, maxItems, minIntervalMs }: ResolvedTemplateLimits,
  { cron, shardingTotalCount }: Pick<JobConfiguration, 'cron' | 'shardingTotalCount'>,
): void {
  if (shardingTotalCount > maxItems) throw new TemplateLimitError(template, 'maxItems', maxItems, shardingTotalCount);
  // No expression has a shorter interval than a second.
  if (cron === undefined || minIntervalMs <= TEMPLATE_LIMITS.minIntervalMs.default) return;
  const intervalMs = shortestIntervalMs(cron, { after: REFERENCE, timeZone: 'UTC' });
  if (intervalMs < minIntervalMs) throw new TemplateLimitError(template, 'minIntervalMs', minIntervalMs, intervalMs);
}

/** @throws {TemplateLimitError} if the text of a job's `config` is longer than its template allows */
export function assertTextWithin({ template, maxConfigBytes }: ResolvedTemplateLimits, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > maxConfigBytes) throw new TemplateLimitError(template, 'maxConfigBytes', maxConfigBytes, bytes);
}

/** A template as a process declares it. */
export interface DeclaredTemplate {
  readonly configuration: JobConfiguration;
  readonly limits?: ResolvedTemplateLimits;
  readonly findPropsFaults?: CheckProps;
}

/**
 * Judges a job before it is created from a template, or before it is changed. What it does not say is as the template
 * says.
 * @throws {TemplateLimitError} @throws {ConfigurationError} for wrong props
 */
export function assertMeetsTemplate(
  { configuration: usual, findPropsFaults, limits }: DeclaredTemplate,
  { cron = usual.cron, props: own, shardingTotalCount }: JobConfiguration,
  place: string,
): void {
  if (limits !== undefined) assertWithinLimits(limits, { cron, shardingTotalCount });
  assertNoFaults(
    (onThrown) => findFaultsInProps({ ...usual.props, ...own }, { findPropsFaults, limits }, onThrown),
    (faults, options) => new ConfigurationError(place, faults, options),
  );
}

/** Faults that a job's work and the rule of its template find in the props of the job. */
export function findFaultsInProps(
  props: JobProps,
  { findPropsFaults, limits }: Pick<DeclaredTemplate, 'findPropsFaults' | 'limits'>,
  onThrown: OnThrown,
): readonly string[] {
  return [findPropsFaults, limits?.findPropsFaults].flatMap((find) => find?.(props, onThrown) ?? []);
}

function describe(template: TemplateName, limit: TemplateLimit, allowed: number, value: number): string {
  switch (limit) {
    case 'maxJobs':
      return (
        `The namespace has ${value} jobs of template "${template}", whose maxJobs is ${allowed}; ` +
        'remove some, or raise maxJobs in @ElasticJobTemplate.'
      );
    case 'maxItems':
      return (
        `shardingTotalCount is ${value}, but maxItems of template "${template}" is ${allowed}; ` +
        'lower the total, or raise maxItems in @ElasticJobTemplate.'
      );
    case 'minIntervalMs':
      return (
        `cron has fire times ${value} ms apart, but minIntervalMs of template "${template}" is ${allowed}; ` +
        'give it a rarer cron, or lower minIntervalMs in @ElasticJobTemplate.'
      );
    case 'maxConfigBytes':
      return (
        `config has ${value} bytes or more, but maxConfigBytes of template "${template}" is ${allowed}; ` +
        'shorten its props or parameters, or raise maxConfigBytes in @ElasticJobTemplate.'
      );
    default:
      return limit satisfies never;
  }
}
