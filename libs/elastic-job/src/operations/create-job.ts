import { assertFitsOneTransaction, formatCreated, readCreatedJobs } from '../coordination/index.js';
import {
  assertMeetsTemplate,
  assertTextWithin,
  type CodeOption,
  ConfigurationError,
  createdRoot,
  type CronDialect,
  type DeclaredTemplate,
  findEndFault,
  findJobNameFault,
  type JobName,
  type JobOptions,
  parseCreatedJob,
  type ResolvedTemplateLimits,
  resolveJobOptions,
  Schedules,
  type ShardingStrategy,
  takeSettings,
  TemplateLimitError,
  type TemplateName,
  timetableOf,
} from '../domain/index.js';
import { creation, type RegistryCenter } from '../registry/index.js';
import { assertReadable, pathsOf } from './command-arguments.js';
import { readConfiguration } from './edit-configuration.js';
import { InvalidArgumentError, JobExistsError } from './operations.errors.js';

/**
 * A job that is created while the cluster runs. Options that are not given come from its template in each process, and
 * else from the `defaults` of the module there.
 */
export interface NewJob extends Omit<JobOptions, 'name' | 'overwrite' | CodeOption> {
  readonly name: JobName;
  /** Name of an `@ElasticJobTemplate`. Its limits are checked here if this process has the template. */
  readonly template: string;
  /** Dialect of `cron`. @default that of the module, else 'quartz' */
  readonly cronDialect?: CronDialect;
}

/** Finds a template of this process; undefined if it has none of that name. */
export type FindTemplate = (name: TemplateName) => DeclaredTemplate | undefined;

/** The instant of creation, strategies that the job may name, the default dialect of its `cron`, and own templates. */
interface NewJobSource {
  readonly now: number;
  readonly strategies: readonly ShardingStrategy[];
  readonly cronDialect: CronDialect;
  readonly findTemplate: FindTemplate;
}

const PLACE = 'JobOperateApi.create';

/**
 * Writes root and `config` in one transaction.
 * @throws {JobExistsError} @throws {ConfigurationError} @throws {TemplateLimitError}
 */
export async function createJob(
  registry: RegistryCenter,
  job: NewJob,
  { findTemplate, strategies, now, ...defaults }: NewJobSource,
): Promise<void> {
  const { settings: given, problems } = takeSettings(PLACE, job, ['name', 'template', 'cronDialect']);
  const { name, template, cronDialect, ...settings } = given;
  const paths = pathsOf(name);
  const fault = findJobNameFault(template);
  if (fault !== undefined) throw new InvalidArgumentError('template', template, fault);
  const place = `job "${name}" (${PLACE})`;
  const configuration = resolveJobOptions(
    { ...settings, name, cronDialect },
    { place, problems, strategies, ...defaults },
  );
  const schedule = new Schedules().of(timetableOf(configuration, false));
  const end = schedule && findEndFault(schedule, now);
  if (end !== undefined) throw new ConfigurationError(place, [end]);
  assertFitsOneTransaction(registry, { ...configuration, place: PLACE });
  const declared = findTemplate(template);
  if (declared !== undefined) assertMeetsTemplate(declared, configuration, place);
  const config = formatCreated(configuration, template, saidIn(settings));
  assertReadable(`create ${name}`, config);
  if (declared?.limits !== undefined) assertTextWithin(declared.limits, config);
  readConfiguration(name, config, strategies);
  if (declared?.limits !== undefined) await assertRoom(registry, name, declared.limits);
  const operations = [creation(paths.root, createdRoot(template)), creation(paths.config, config)];
  if ((await registry.transaction(operations)).kind === 'committed') return;
  const root = await registry.read(paths.root);
  throw new JobExistsError(name, parseCreatedJob(root?.data ?? '')?.isBeingRemoved === true);
}

/**
 * One request, and one more for 500 jobs each if the namespace has as many jobs as the template may have. Of several
 * creations at the same time too many may pass; then the youngest jobs rest.
 */
async function assertRoom(
  registry: RegistryCenter,
  jobName: JobName,
  { maxJobs, template }: ResolvedTemplateLimits,
): Promise<void> {
  const names = await registry.children('/');
  if (names.length < maxJobs || names.includes(jobName)) return;
  const created = [...(await readCreatedJobs(registry, names)).values()];
  const jobs = created.filter((job) => job.template === template && !job.isBeingRemoved).length;
  if (jobs >= maxJobs) throw new TemplateLimitError(template, 'maxJobs', maxJobs, jobs);
}

function saidIn(settings: object): readonly string[] {
  const said = Object.entries(settings).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  const saysMisfire = said.includes('misfire') || said.includes('misfirePolicy');
  return saysMisfire ? [...said, 'misfire', 'misfirePolicy'] : said;
}
