import { publicCalls } from '../../../async-context/index.js';
import type { Configurations } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobConfiguration, JobName } from '../../../domain/index.js';

/** Settings of jobs. */
@sharedClass('ConfigurationService')
@publicCalls()
export class ConfigurationService {
  /** @internal */
  constructor(private readonly configurations: Configurations) {}

  /** Settings in force: the registry's or, before the job has joined, the local ones. From memory. */
  current(jobName: JobName): JobConfiguration {
    return this.configurations.current(jobName);
  }

  /** Local settings of a job, from decorator and module; undefined if this process has no such job. */
  declared(jobName: JobName): JobConfiguration | undefined {
    return this.configurations.declared(jobName);
  }
}
