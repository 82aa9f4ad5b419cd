import {
  formatConfiguration,
  formatCreated,
  layOptions,
  parseConfiguration,
  type StoredConfiguration,
} from '../../coordination/index.js';
import {
  type JobConfiguration,
  type JobName,
  type JobOptions,
  NESTJS_PREFIX,
  resolveJobOptions,
  type TemplateName,
} from '../../domain/index.js';
import type { CloudJobConfiguration } from './cloud-job.js';
import { liteOptionsOf } from './cloud-job-plan.js';
import { formatOwnSettings, readOwnSettings, usersProps } from './own-settings.js';

/** The template of which the Lite jobs of registered jobs are. */
export const CLOUD_TEMPLATE: TemplateName = 'elasticjob-cloud';

/** Says of which state of the registered job a `config` is; other versions keep it, and users do not see it. */
const VERSION = `${NESTJS_PREFIX}cloudVersion`;

/**
 * Says that the job is disabled. With the mark's removal the text is written, and Lite owes nothing that came before:
 * what came while the job was disabled is not caught up on.
 */
const RESTS = `${NESTJS_PREFIX}cloudRests`;

/** Lite's settings that a registered job decides. The others are Lite's alone, and stay as they are. */
const DERIVED = [
  'cron',
  'timeZone',
  'resident',
  'shardingTotalCount',
  'shardingItemParameters',
  'jobParameter',
  'monitorExecution',
  'failover',
  'misfire',
  'misfirePolicy',
  'reconcileIntervalMinutes',
  'jobErrorHandlerType',
  'description',
  'props',
] as const satisfies readonly (keyof JobOptions)[];

type Derived = (typeof DERIVED)[number];

/** Of which state of the registered job a `config` was made: the mzxid of its node. Undefined if it does not say. */
export function cloudVersionOf(config: string, jobName: JobName): bigint | undefined {
  const text = parseConfiguration(config, jobName).unknown.props[VERSION];
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined;
}

/** The state of a registered job. */
export interface RegisteredState {
  readonly job: CloudJobConfiguration;
  /** The mzxid of its node. */
  readonly version: bigint;
  /** The job is disabled, or its application. */
  readonly isDisabled: boolean;
}

/**
 * The text of Lite's `config` for a registered job.
 * @param former what stands there; settings that are Lite's alone are kept. Undefined: nothing does
 * @throws {ConfigurationError} if Lite cannot go by it
 */
export function deriveConfig({ job, version, isDisabled }: RegisteredState, former?: string): string {
  const given = liteOptionsOf(job);
  const said = DERIVED.filter((name) => given[name] !== undefined);
  const place = `cloud job "${job.jobName}"`;
  const kept = keptOf(former ?? formatCreated(resolveJobOptions(given, { place }), CLOUD_TEMPLATE, []), job.jobName);
  const options = { ...layOptions(templateFor(job.jobName), kept), ...given };
  const { [RESTS]: _, ...others } = kept.unknown.props;
  const marks = { [VERSION]: `${version}`, ...(isDisabled ? { [RESTS]: 'true' } : {}) };
  const marked = { ...kept, unknown: { ...kept.unknown, props: { ...others, ...marks } } };
  return formatConfiguration(resolveJobOptions(options, { place }), marked, [...said, 'misfire']);
}

/**
 * The registered job as an edit of Lite's `config` has made it; undefined if nothing of it that is registered was
 * edited. What ElasticJob-Cloud has no field for is not followed.
 * @throws {ConfigurationNodeError} if the text cannot be read @throws {ConfigurationError} if it breaks a rule
 */
export function editedCloudJob(job: CloudJobConfiguration, config: string): CloudJobConfiguration | undefined {
  const { jobName } = job;
  const place = `cloud job "${jobName}"`;
  const now = resolveJobOptions(layOptions(templateFor(jobName), parseConfiguration(config, jobName)), { place });
  const derived = resolveJobOptions(liteOptionsOf(job), { place });
  const edited = new Set<Derived>(DERIVED.filter((name) => textOf(now[name]) !== textOf(derived[name])));
  const changes = cloudChanges(job, now, edited);
  return Object.keys(changes).length === 0 ? undefined : { ...job, ...changes };
}

function cloudChanges(
  job: CloudJobConfiguration,
  now: JobConfiguration,
  edited: ReadonlySet<Derived>,
): Partial<CloudJobConfiguration> {
  const take = <Field extends Derived & keyof JobConfiguration & keyof CloudJobConfiguration>(field: Field) =>
    edited.has(field) ? { [field]: now[field] } : {};
  const isDaemon = job.jobExecutionType === 'DAEMON';
  const misfire = now.misfirePolicy === 'all';
  return {
    ...(isDaemon ? {} : { ...take('cron'), ...take('failover') }),
    ...take('shardingTotalCount'),
    ...take('shardingItemParameters'),
    ...take('jobParameter'),
    ...(isDaemon || misfire === job.misfire ? {} : { misfire }),
    ...take('reconcileIntervalMinutes'),
    ...take('jobErrorHandlerType'),
    ...take('description'),
    ...(edited.has('props') || edited.has('timeZone') ? { props: propsOf(job, now) } : {}),
  };
}

function propsOf({ props }: CloudJobConfiguration, now: JobConfiguration): Readonly<Record<string, string>> {
  const { timeZone: _, ...own } = readOwnSettings(props).settings;
  const zone = now.timeZone === undefined ? {} : { timeZone: now.timeZone };
  return { ...usersProps(now.props), ...formatOwnSettings({ ...own, ...zone }) };
}

/** Without what the registered job decides. */
function keptOf(config: string, jobName: JobName): StoredConfiguration {
  const stored = parseConfiguration(config, jobName);
  const none = Object.fromEntries(DERIVED.map((name) => [name, undefined]));
  const drop = <Fields extends object>(fields: Fields): Fields => {
    const dropped = Object.keys(none).filter((name) => Object.hasOwn(fields, name));
    return { ...fields, ...Object.fromEntries(dropped.map((name) => [name, undefined])) };
  };
  return { ...drop(stored), props: {}, nestjs: drop(stored.nestjs) };
}

/** Settings of a registered job where its `config` says nothing. */
export function templateFor(jobName: JobName): JobConfiguration {
  const options = { name: jobName, shardingTotalCount: 1, monitorExecution: true, executor: 'task' } as const;
  return resolveJobOptions(options, { place: `cloud job "${jobName}"` });
}

/** Props show no values of themselves. */
function textOf(value: unknown): string {
  const isProps = typeof value === 'object' && value !== null;
  return JSON.stringify(isProps ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value) ?? '';
}
