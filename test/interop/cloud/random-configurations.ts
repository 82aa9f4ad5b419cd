import type { CloudAppConfiguration, CloudJobConfiguration } from '../../../libs/elastic-job/src/cloud/index.js';
import type { Seeded } from '@test/support/seeded.js';
import { randomDouble, randomProps, randomText } from './random-texts.js';

/** A job of ElasticJob-Cloud with texts made of these pieces. It need not be able to run. */
export function randomJob(seeded: Seeded, pieces: readonly string[]): CloudJobConfiguration {
  const text = () => randomText(seeded, pieces);
  const maybe = () => (seeded.below(3) === 0 ? undefined : text());
  const flag = () => seeded.below(2) === 0;
  return {
    appName: text(),
    cpuCount: randomDouble(seeded),
    memoryMB: randomDouble(seeded),
    jobExecutionType: seeded.of(['TRANSIENT', 'DAEMON']),
    jobName: text() || 'job',
    cron: maybe(),
    shardingTotalCount: 1 + seeded.below(1_000),
    shardingItemParameters: maybe(),
    jobParameter: maybe(),
    monitorExecution: flag(),
    failover: flag(),
    misfire: flag(),
    maxTimeDiffSeconds: seeded.below(100) - 1,
    reconcileIntervalMinutes: seeded.below(100) - 1,
    jobShardingStrategyType: maybe(),
    jobExecutorServiceHandlerType: maybe(),
    jobErrorHandlerType: maybe(),
    description: maybe(),
    props: randomProps(seeded, pieces),
    disabled: flag(),
    overwrite: flag(),
  };
}

/** Like `randomJob`, for an application. */
export function randomApp(seeded: Seeded, pieces: readonly string[]): CloudAppConfiguration {
  return {
    appName: randomText(seeded, pieces),
    appURL: randomText(seeded, pieces),
    bootstrapScript: randomText(seeded, pieces),
    cpuCount: randomDouble(seeded),
    memoryMB: randomDouble(seeded),
    appCacheEnable: seeded.below(2) === 0,
    eventTraceSamplingCount: seeded.below(100),
  };
}
