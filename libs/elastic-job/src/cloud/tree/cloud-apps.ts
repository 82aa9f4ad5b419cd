import { publicCalls } from '../../async-context/index.js';
import { flag, JOB_SETTINGS, type JobName, type OptionRow, wholeNumber } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { CloudForm, filledText, positive } from './cloud-form.js';
import type { CloudJobs } from './cloud-jobs.js';
import { CloudNodes, type StoredCloudNode } from './cloud-nodes.js';
import { CLOUD_PATHS } from './cloud-paths.js';
import { CloudAppExistsError, UnknownCloudAppError } from './cloud-tree.errors.js';

/** An application: the settings that several jobs share. @see ElasticJob-Cloud 3.0.2, `CloudAppConfigurationPOJO` */
export interface CloudAppConfiguration {
  readonly appName: string;
  /** Image of the tasks' containers; in ElasticJob-Cloud the address of an archive. */
  readonly appURL: string;
  /** The command that a shell starts as a task. */
  readonly bootstrapScript: string;
  /** Processors of ElasticJob-Cloud's executor, besides those of its tasks. */
  readonly cpuCount: number;
  /** Mebibytes of ElasticJob-Cloud's executor, besides those of its tasks. */
  readonly memoryMB: number;
  /** True: the image is fetched only if it is missing. */
  readonly appCacheEnable: boolean;
  /** One of so many runs of a daemon is traced; 0: all of them. */
  readonly eventTraceSamplingCount: number;
}

/** An application, as an operator registers it. Fields that are left out have ElasticJob-Cloud's defaults. */
export type CloudAppOptions = Pick<CloudAppConfiguration, 'appName' | 'appURL' | 'bootstrapScript'> &
  Partial<CloudAppConfiguration>;

/** Rule and default of each field. */
export const CLOUD_APP_ROWS = {
  appName: { rule: JOB_SETTINGS.name.rule, required: true },
  appURL: { rule: filledText('an image, such as "registry.example.org/jobs:1.0"'), required: true },
  bootstrapScript: { rule: filledText('a command, such as "bin/start.sh"'), required: true },
  cpuCount: { rule: positive(), default: 1 },
  memoryMB: { rule: positive(), default: 128 },
  appCacheEnable: { rule: flag(), default: true },
  eventTraceSamplingCount: { rule: wholeNumber({ from: 0 }), default: 0 },
} as const satisfies Readonly<Record<keyof CloudAppConfiguration, OptionRow>>;

/** Form of the nodes of applications. */
export const CLOUD_APP_FORM = new CloudForm<CloudAppConfiguration>({
  rows: CLOUD_APP_ROWS,
  of: 'an application',
  name: 'appName',
  read: (node) => ({
    appName: node.text('appName'),
    appURL: node.text('appURL'),
    bootstrapScript: node.text('bootstrapScript'),
    cpuCount: node.double('cpuCount'),
    memoryMB: node.double('memoryMB'),
    appCacheEnable: node.boolean('appCacheEnable'),
    eventTraceSamplingCount: node.integerOr('eventTraceSamplingCount', []),
  }),
  findFaults: () => [],
});

/** The registered applications. @see ElasticJob-Cloud 3.0.2, `CloudAppController` */
@publicCalls()
export class CloudApps {
  private readonly nodes: CloudNodes<CloudAppConfiguration>;

  constructor(
    registry: RegistryCenter,
    private readonly jobs: CloudJobs,
  ) {
    this.nodes = new CloudNodes(registry, {
      form: CLOUD_APP_FORM,
      root: CLOUD_PATHS.apps,
      disabledRoot: CLOUD_PATHS.disabledApps,
      unknown: (name) => new UnknownCloudAppError(name),
    });
  }

  /** @throws {ConfigurationError} @throws {CloudAppExistsError} */
  async add(options: CloudAppOptions): Promise<void> {
    const app = CLOUD_APP_FORM.resolve(options);
    const result = await this.nodes.create(app.appName, app);
    if (result.kind === 'refused') throw new CloudAppExistsError(app.appName);
  }

  /** Java ignores an unknown application here. @throws {ConfigurationError} @throws {UnknownCloudAppError} */
  async update(options: CloudAppOptions): Promise<void> {
    const app = CLOUD_APP_FORM.resolve(options);
    await this.nodes.replace(app.appName, app);
  }

  /**
   * Removes the application, with its jobs, as Java does. A job that is registered meanwhile goes as well.
   * @returns the jobs; undefined if there was no such application
   */
  async remove(appName: string): Promise<readonly JobName[] | undefined> {
    const before = await this.jobs.removeAllOf(appName);
    const wasThere = await this.nodes.remove(appName);
    // From here on none of its jobs can be registered.
    const after = await this.jobs.removeAllOf(appName);
    return wasThere ? [...before, ...after] : undefined;
  }

  /** Reads an application; undefined if there is none. One request. */
  read(appName: string): Promise<StoredCloudNode<CloudAppConfiguration> | undefined> {
    return this.nodes.read(appName);
  }

  /** All applications, in the order of their names. */
  readAll(): Promise<readonly StoredCloudNode<CloudAppConfiguration>[]> {
    return this.nodes.readAll();
  }

  /** Disables the application: from now on none of its jobs is scheduled. Idempotent. @throws {UnknownCloudAppError} */
  disable(appName: string): Promise<void> {
    return this.nodes.disable(appName);
  }

  /** Enables the application. Idempotent. @throws {UnknownCloudAppError} */
  enable(appName: string): Promise<void> {
    return this.nodes.enable(appName);
  }
}
