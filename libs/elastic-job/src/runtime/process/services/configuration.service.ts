// Covered by libs/elastic-job/src/runtime/process/services/services.spec.ts
import type { Configurations } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobConfiguration, JobName } from '../../../domain/index.js';

/** What a job is to do. */
@sharedClass('ConfigurationService')
export class ConfigurationService {
  /** @internal */
  constructor(private readonly configurations: Configurations) {}

  /** The settings in force: the registry's, else the local ones. From memory. */
  current(jobName: JobName): JobConfiguration {
    return this.configurations.current(jobName);
  }

  /** The local settings of a job, by decorator and module; undefined if this process has no such job. */
  declared(jobName: JobName): JobConfiguration | undefined {
    return this.configurations.declared(jobName);
  }
}
