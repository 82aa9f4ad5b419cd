import {
  CLOUD_JOB_FORM,
  CLOUD_PATHS,
  CLOUD_TEMPLATE,
  type CloudJobConfiguration,
  cloudVersionOf,
  deriveConfig,
  editedCloudJob,
  type RegisteredState,
} from '../../../cloud/index.js';
import { ConfigurationNodeError } from '../../../coordination/index.js';
import { ConfigurationError, createdRoot, type JobName, parseCreatedJob } from '../../../domain/index.js';
import type { JobOperateApi } from '../../../operations/index.js';
import { creation, type Operation, type RegistryCenter, type RegistryNode } from '../../../registry/index.js';

/** The registries of a scheduler. */
export interface CloudRegistries {
  /** Registry of the jobs. */
  readonly lite: RegistryCenter;
  /** Registry of ElasticJob-Cloud's tree. */
  readonly cloud: RegistryCenter;
}

/** The result of making both sides of a job agree. */
type Settled =
  | { readonly kind: 'agreed' }
  /** One side has changed meanwhile, or the Lite job is being removed. */
  | { readonly kind: 'again' }
  /** An edit of the Lite job that cannot be registered or read was undone. */
  | { readonly kind: 'reverted'; readonly because: ConfigurationError | ConfigurationNodeError };

const AGREED: Settled = { kind: 'agreed' };
const AGAIN: Settled = { kind: 'again' };

/**
 * Lite jobs of the jobs that are registered in ElasticJob-Cloud's tree: cluster-wide dynamic jobs of one template.
 *
 * The registered job is the truth. Lite's `config` names the version of the registered job that it was made from. So
 * the two kinds of edit can be told apart: a newer version of the registered job replaces `config`, and an edit of
 * `config` is written through. Each write is a compare-and-set, so any number of schedulers may do this side by side.
 */
export class LiteJobs {
  constructor(
    private readonly registries: CloudRegistries,
    private readonly operate: JobOperateApi,
  ) {}

  /** @throws {ConfigurationError} if the name belongs to another job, or Lite refuses the registered settings */
  async settle(jobName: JobName): Promise<Settled> {
    const { cloud, lite } = this.registries;
    const registered = await cloud.read(CLOUD_PATHS.job(jobName));
    const [root, config] = await lite.readMany([`/${jobName}`, `/${jobName}/config`]);
    const created = parseCreatedJob(root?.data ?? '');
    const isOurs = created?.template === CLOUD_TEMPLATE;
    if (registered === undefined) return isOurs && !created?.isBeingRemoved ? this.remove(jobName) : AGREED;
    const read = CLOUD_JOB_FORM.read(registered.data, jobName);
    if (read.kind === 'faulty') return AGREED; // The feed reports it.
    const state = await this.stateOf(read.configuration, registered);
    if (root === undefined) return state.isDisabled ? AGREED : this.create(state);
    if (!isOurs) throw taken(jobName, root);
    if (created.isBeingRemoved || config === undefined) return AGAIN;
    return this.agree(state, registered, config);
  }

  /** Names of all Lite jobs that were created for registered ones. */
  async names(): Promise<readonly JobName[]> {
    const { lite } = this.registries;
    const names = await lite.children('/');
    const roots = await lite.readMany(names.map((name) => `/${name}`));
    return names.filter((_, index) => parseCreatedJob(roots[index]?.data ?? '')?.template === CLOUD_TEMPLATE);
  }

  private async stateOf(job: CloudJobConfiguration, { stat }: RegistryNode): Promise<RegisteredState> {
    const marks = [CLOUD_PATHS.disabledJob(job.jobName), CLOUD_PATHS.disabledApp(job.appName)];
    const found = await this.registries.cloud.readMany(marks);
    return { job, version: stat.mzxid, isDisabled: found.some((mark) => mark !== undefined) };
  }

  private create(state: RegisteredState): Promise<Settled> {
    const { jobName } = state.job;
    return this.commit('lite', [
      creation(`/${jobName}`, createdRoot(CLOUD_TEMPLATE)),
      creation(`/${jobName}/config`, deriveConfig(state)),
    ]);
  }

  private async remove(jobName: JobName): Promise<Settled> {
    await this.operate.remove(jobName);
    return AGREED;
  }

  private async agree(state: RegisteredState, registered: RegistryNode, config: RegistryNode): Promise<Settled> {
    const { job, version: current } = state;
    let because: ConfigurationError | ConfigurationNodeError | undefined;
    try {
      const version = cloudVersionOf(config.data, job.jobName);
      if (version !== undefined && version > current) return AGAIN; // The other server is behind.
      const edited = version === current ? editedCloudJob(job, config.data) : undefined;
      if (edited !== undefined) return await this.writeThrough(edited, registered);
    } catch (error) {
      if (!(error instanceof ConfigurationError || error instanceof ConfigurationNodeError)) throw error;
      because = error;
    }
    const former = because instanceof ConfigurationNodeError ? undefined : config.data;
    const text = deriveConfig(state, former);
    const result = text === config.data ? AGREED : await this.commit('lite', [set(config, text)]);
    return because !== undefined && result === AGREED ? { kind: 'reverted', because } : result;
  }

  private writeThrough(job: CloudJobConfiguration, registered: RegistryNode): Promise<Settled> {
    const text = CLOUD_JOB_FORM.format(CLOUD_JOB_FORM.resolve(job));
    return this.commit('cloud', [set(registered, text)]);
  }

  private async commit(where: keyof CloudRegistries, operations: readonly Operation[]): Promise<Settled> {
    const { kind } = await this.registries[where].transaction(operations);
    // A written-through edit comes back as a newer version of the registered job.
    return kind === 'committed' && where === 'lite' ? AGREED : AGAIN;
  }
}

function set({ path, stat }: RegistryNode, data: string): Operation {
  return { kind: 'set', path, data, version: stat.version };
}

function taken(jobName: JobName, { data }: RegistryNode): ConfigurationError {
  return new ConfigurationError(`cloud job "${jobName}"`, [
    `jobName "${jobName}": the jobs' namespace has a job of that name already ("${data}"); ` +
      'register it under another name',
  ]);
}
