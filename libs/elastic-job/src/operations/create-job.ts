import { assertFitsOneTransaction, formatCreated } from '../coordination/index.js';
import {
  type CodeOption,
  createdRoot,
  type CronDialect,
  findJobNameFault,
  type JobName,
  type JobOptions,
  parseCreatedJob,
  resolveJobOptions,
  type ShardingStrategy,
} from '../domain/index.js';
import { creation, type RegistryCenter } from '../registry/index.js';
import { assertReadable, pathsOf } from './arguments.js';
import { readConfiguration } from './edit-configuration.js';
import { InvalidArgumentError, JobExistsError } from './operations.errors.js';

/** A job that is created while the cluster runs. Options that are not given come from its template. */
export interface NewJob extends Omit<JobOptions, 'name' | 'overwrite' | CodeOption> {
  readonly name: JobName;
  /** Name of an `@ElasticJobTemplate`. Not checked here: only instances know their templates. */
  readonly template: string;
  /** Dialect of `cron`. @default that of the module, else 'quartz' */
  readonly cronDialect?: CronDialect;
}

/** Strategies that the job may name, and the default dialect of its `cron`. */
interface NewJobSource {
  readonly strategies: readonly ShardingStrategy[];
  readonly cronDialect: CronDialect;
}

const PLACE = 'JobOperateApi.create';

/** Writes root and `config` in one transaction. @throws {JobExistsError} @throws {ConfigurationError} */
export async function createJob(
  registry: RegistryCenter,
  { name, template, cronDialect, ...settings }: NewJob,
  { strategies, ...defaults }: NewJobSource,
): Promise<void> {
  const paths = pathsOf(name);
  const fault = findJobNameFault(template);
  if (fault !== undefined) throw new InvalidArgumentError('template', template, fault);
  const place = `job "${name}" (${PLACE})`;
  const configuration = resolveJobOptions({ ...settings, name, cronDialect }, { place, strategies, ...defaults });
  assertFitsOneTransaction(registry, { ...configuration, place: PLACE });
  const config = formatCreated(configuration, template, saidIn(settings));
  assertReadable(`create ${name}`, config);
  readConfiguration(name, config, strategies);
  const operations = [creation(paths.root, createdRoot(template)), creation(paths.config, config)];
  if ((await registry.transaction(operations)).kind === 'committed') return;
  const root = await registry.read(paths.root);
  throw new JobExistsError(name, parseCreatedJob(root?.data ?? '')?.isBeingRemoved === true);
}

function saidIn(settings: object): readonly string[] {
  const said = Object.entries(settings).flatMap(([option, value]) => (value === undefined ? [] : [option]));
  const saysMisfire = said.includes('misfire') || said.includes('misfirePolicy');
  return saysMisfire ? [...said, 'misfire', 'misfirePolicy'] : said;
}
