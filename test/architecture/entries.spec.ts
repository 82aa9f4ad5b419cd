import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as library from '@app/elastic-job';
import * as email from '@app/elastic-job/email';
import * as plainSqlGuard from '@app/elastic-job/guards/plain-sql';
import * as sqlGuard from '@app/elastic-job/guards/sql';
import * as metrics from '@app/elastic-job/metrics';
import * as openTelemetry from '@app/elastic-job/opentelemetry';
import * as script from '@app/elastic-job/script';
import * as terminus from '@app/elastic-job/terminus';
import * as sqlHistory from '@app/elastic-job/tracing/sql';
import * as testing from '@app/elastic-job/testing';
import * as workerPool from '@app/elastic-job/worker-pool';

const PACKAGE = 'libs/elastic-job';
const manifest: { exports: Record<string, string | { types: string; default: string }> } = JSON.parse(
  readFileSync(`${PACKAGE}/package.json`, 'utf8'),
);

describe('the entry points of the package', () => {
  it('given the exports map, when its files are looked up, then each is compiled from a source of that name', () => {
    for (const target of Object.values(manifest.exports)) {
      if (typeof target === 'string') continue;
      const source = target.default.replace('./dist/', `${PACKAGE}/src/`).replace(/\.js$/, '.ts');
      expect(existsSync(source) ? source : `${source} is missing`).toBe(source);
      expect(target.types).toBe(target.default.replace(/\.js$/, '.d.ts'));
    }
  });

  it('given the promised names, when the entries are imported, then all of them are there', () => {
    expect(library).toMatchObject(
      functions(
        'ElasticJob',
        'ElasticJobModule',
        'elasticJobConfig',
        'LeaderService',
        'ShardingService',
        'FailoverService',
        'ExecutionService',
        'InstanceService',
        'ServerService',
        'ConfigurationService',
        'JobRegistrar',
        'JobConfigurationApi',
        'JobOperateApi',
        'ShardingOperateApi',
        'JobStatisticsApi',
        'ServerStatisticsApi',
        'ShardingStatisticsApi',
        'createShardingStrategy',
        'javaHashCode',
        'nextFireTimes',
        'LeaseLostError',
        'FencedError',
        'ZooKeeperGuard',
        'HttpJobType',
      ),
    );
    expect(terminus).toMatchObject(functions('ElasticJobHealthIndicator'));
    expect(metrics).toMatchObject(functions('ElasticJobMetricsModule', 'JobMetrics'));
    expect(openTelemetry).toMatchObject(functions('openTelemetryTracer'));
    expect(sqlGuard).toMatchObject(functions('SqlGuard', 'FencedError'));
    expect(plainSqlGuard).toMatchObject(functions('PlainSqlGuard', 'FencedError'));
    expect(sqlHistory).toMatchObject(functions('SqlHistory'));
    expect(email).toMatchObject(functions('EmailErrorHandler'));
    expect(workerPool).toMatchObject(functions('WorkerThreads'));
    expect(script).toMatchObject(functions('ScriptJobType', 'ScriptFailedError'));
    expect(testing).toMatchObject(functions('createTestCluster', 'VirtualClock'));
  });

  it('given the entries, when their exports are listed, then none has a default', () => {
    for (const entry of [
      library,
      terminus,
      metrics,
      openTelemetry,
      sqlGuard,
      plainSqlGuard,
      sqlHistory,
      email,
      workerPool,
      script,
      testing,
    ])
      expect(entry).not.toHaveProperty('default');
  });
});

function functions(...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, expect.any(Function)]));
}
