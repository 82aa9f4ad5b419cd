import { describe } from 'vitest';
import type { RegistryAdapter } from '../registry/index.js';
import { describeCancel } from './cancel.contract.js';
import { describeConfigurationApi } from './configuration.contract.js';
import { describeCreatedJobs } from './created-jobs.contract.js';
import { describeElasticJob2 } from './elastic-job-2.contract.js';
import { describeOperateApi } from './operate.contract.js';
import { describePartlyDone } from './partly-done.contract.js';
import { describeRemoval } from './removal.contract.js';
import { describeReruns } from './rerun.contract.js';
import { describeResign } from './resign.contract.js';
import { describeShardingApis } from './sharding.contract.js';
import { describeStatistics } from './statistics.contract.js';
import { describeTriggers } from './trigger.contract.js';

/** The rules for operators, over every adapter of the registry port. */
export function describeOperations(adapter: RegistryAdapter): void {
  describe(`operations, ${adapter.name}`, () => {
    describeConfigurationApi(adapter);
    describeTriggers(adapter);
    describeOperateApi(adapter);
    describeReruns(adapter);
    describeResign(adapter);
    describeCancel(adapter);
    describeRemoval(adapter);
    describePartlyDone(adapter);
    describeShardingApis(adapter);
    describeStatistics(adapter);
    describeCreatedJobs(adapter);
    describeElasticJob2(adapter);
  });
}
