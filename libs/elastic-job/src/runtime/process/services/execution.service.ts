import { publicCalls } from '../../../async-context/index.js';
import type { Executions, RunningItem } from '../../../coordination/index.js';
import { sharedClass } from '../../../copies/index.js';
import type { JobName } from '../../../domain/index.js';

/** Running items. */
@sharedClass('ExecutionService')
@publicCalls()
export class ExecutionService {
  /** @internal */
  constructor(private readonly executions: Executions) {}

  /** Items that run now on any instance, ascending. Empty without `monitorExecution`. */
  running(jobName: JobName): Promise<readonly RunningItem[]> {
    return this.executions.running(jobName);
  }
}
