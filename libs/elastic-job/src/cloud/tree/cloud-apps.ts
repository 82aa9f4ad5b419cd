import { publicCalls } from '../../async-context/index.js';
import type { JobName } from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import { CLOUD_APP_FORM, type CloudAppConfiguration, type CloudAppOptions } from './cloud-app.js';
import type { CloudJobs } from './cloud-jobs.js';
import { CloudNodes, type StoredCloudNode } from './cloud-nodes.js';
import { CLOUD_PATHS } from './cloud-paths.js';
import { CloudAppExistsError, UnknownCloudAppError } from './cloud-tree.errors.js';

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
