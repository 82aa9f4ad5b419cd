import {
  formatConfiguration,
  formatCreated,
  layOptions,
  parseConfiguration,
  type StoredConfiguration,
} from '../../coordination/index.js';
import {
  type JobConfiguration,
  type JobDefaults,
  type JobName,
  type JobOptions,
  NESTJS_PREFIX,
  resolveJobOptions,
  type TemplateName,
} from '../../domain/index.js';
import type { CloudJobConfiguration } from './cloud-jobs.js';
import { liteOptionsOf } from './cloud-job-plan.js';
import { formatOwnSettings, readOwnSettings, usersProps } from './own-settings.js';

/** Template of the Lite jobs for registered jobs. */
export const CLOUD_TEMPLATE: TemplateName = 'elasticjob-cloud';

/** Version of the registered job behind a `config`; other versions of this package keep it, and users do not see it. */
const VERSION = `${NESTJS_PREFIX}cloudVersion`;

/**
 * Marks a disabled job. Removing the mark changes the text, and so Lite owes nothing from before: fire times while the
 * job was disabled are not caught up on.
 */
const RESTS = `${NESTJS_PREFIX}cloudRests`;

/** Lite's settings that come from the registered job. All others are Lite's own, and stay as they are. */
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

/** Version of the registered job behind a `config`: the mzxid of its node. Undefined if it has none. */
export function cloudVersionOf(config: string, jobName: JobName): bigint | undefined {
  const text = parseConfiguration(config, jobName).unknown.props[VERSION];
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined;
}

/** State of a registered job. */
export interface RegisteredState {
  readonly job: CloudJobConfiguration;
  /** The mzxid of its node. */
  readonly version: bigint;
  /** True if the job or its application is disabled. */
  readonly isDisabled: boolean;
}

/**
 * The text of Lite's `config` for a registered job.
 * @param former the present text, whose own settings are kept; undefined if there is none
 * @throws {ConfigurationError} if Lite refuses the settings
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
 * The registered job after an edit of Lite's `config`; undefined if no registered setting was edited. Settings without
 * a field in ElasticJob-Cloud are not followed.
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

/** The settings that the registered job does not decide. */
function keptOf(config: string, jobName: JobName): StoredConfiguration {
  const stored = parseConfiguration(config, jobName);
  const none = Object.fromEntries(DERIVED.map((name) => [name, undefined]));
  const drop = <Fields extends object>(fields: Fields): Fields => {
    const dropped = Object.keys(none).filter((name) => Object.hasOwn(fields, name));
    return { ...fields, ...Object.fromEntries(dropped.map((name) => [name, undefined])) };
  };
  return { ...drop(stored), props: {}, nestjs: drop(stored.nestjs) };
}

/** Settings of a registered job that its `config` does not have. @param defaults those of this process */
export function templateFor(jobName: JobName, defaults?: JobDefaults): JobConfiguration {
  const options = { name: jobName, shardingTotalCount: 1, monitorExecution: true, executor: 'task' } as const;
  return resolveJobOptions(options, { place: `cloud job "${jobName}"`, defaults });
}

/** Props do not show their values otherwise. */
function textOf(value: unknown): string {
  const isProps = typeof value === 'object' && value !== null;
  return JSON.stringify(isProps ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value) ?? '';
}
