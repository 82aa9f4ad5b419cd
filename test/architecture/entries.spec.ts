import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as library from '@app/elastic-job';
import * as cloud from '@app/elastic-job/cloud';
import * as config from '@app/elastic-job/config';
import * as email from '@app/elastic-job/email';
import * as errorHandlers from '@app/elastic-job/error-handlers';
import * as errors from '@app/elastic-job/errors';
import * as plainSqlGuard from '@app/elastic-job/guards/plain-sql';
import * as sqlGuard from '@app/elastic-job/guards/sql';
import * as zooKeeperGuard from '@app/elastic-job/guards/zookeeper';
import * as http from '@app/elastic-job/http';
import * as metrics from '@app/elastic-job/metrics';
import * as openTelemetry from '@app/elastic-job/opentelemetry';
import * as operations from '@app/elastic-job/operations';
import * as registry from '@app/elastic-job/registry';
import * as script from '@app/elastic-job/script';
import * as spi from '@app/elastic-job/spi';
import * as terminus from '@app/elastic-job/terminus';
import * as sqlHistory from '@app/elastic-job/tracing/sql';
import * as testing from '@app/elastic-job/testing';
import * as tools from '@app/elastic-job/tools';
import * as workerPool from '@app/elastic-job/worker-pool';

const PACKAGE = 'libs/elastic-job';
interface Target {
  readonly types: string;
  readonly default: string;
}

const manifest: {
  readonly main: string;
  readonly types: string;
  readonly exports: Record<string, string | Record<'module-sync' | 'require' | 'default', Target>>;
  readonly typesVersions: { readonly '*': Record<string, readonly string[]> };
} = JSON.parse(readFileSync(`${PACKAGE}/package.json`, 'utf8'));

const ENTRIES = [
  library,
  cloud,
  config,
  email,
  errorHandlers,
  errors,
  http,
  metrics,
  openTelemetry,
  operations,
  plainSqlGuard,
  registry,
  script,
  spi,
  sqlGuard,
  sqlHistory,
  terminus,
  testing,
  tools,
  workerPool,
  zooKeeperGuard,
];
const OPERATIONS = [
  'JobConfigurationApi',
  'JobOperateApi',
  'ShardingOperateApi',
  'JobStatisticsApi',
  'ServerStatisticsApi',
  'ShardingStatisticsApi',
];
const TOOLS = ['createShardingStrategy', 'importElasticJob2Configuration', 'javaHashCode', 'nextFireTimes'];

describe('the entry points of the package', () => {
  it('have a source of the same name for each file of the exports map', () => {
    for (const target of Object.values(manifest.exports)) {
      if (typeof target === 'string') continue;
      const file = target.default.default;
      const source = file.replace('./dist/', `${PACKAGE}/src/`).replace(/\.js$/, '.ts');
      expect(existsSync(source) ? source : `${source} is missing`).toBe(source);
    }
  });

  it('are found with their types by resolvers of ES modules and of CommonJS', () => {
    const typesOf = (file: string) => file.replace(/\.js$/, '.d.ts');
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === 'string') continue;
      const file = target.default.default;
      const copied = file.replace('./dist/', './dist/cjs/');
      // The order matters: Node takes ES modules wherever it can, so that it holds one copy.
      expect(Object.entries(target)).toEqual([
        ['module-sync', { types: typesOf(file), default: file }],
        ['require', { types: typesOf(copied), default: copied }],
        ['default', { types: typesOf(file), default: file }],
      ]);
      // For resolvers that do not know `exports`.
      const old =
        entry === '.' ? [manifest.types, manifest.main] : [...manifest.typesVersions['*'][entry.slice(2)]!, copied];
      expect(old).toEqual([typesOf(copied), copied]);
    }
  });

  it('have all promised names', () => {
    expect(library).toMatchObject(
      functions(
        'ElasticJob',
        'ElasticJobModule',
        'LeaderService',
        'ShardingService',
        'FailoverService',
        'ExecutionService',
        'InstanceService',
        'ServerService',
        'ConfigurationService',
        'JobRegistrar',
        'LeaseLostError',
        'FencedError',
      ),
    );
    expect(config).toMatchObject(functions('elasticJobConfig'));
    expect(operations).toMatchObject(functions(...OPERATIONS));
    expect(registry).toMatchObject(functions('MemoryRegistry', 'RegistryUnavailableError', 'SessionLostError'));
    expect(tools).toMatchObject(functions(...TOOLS));
    expect(http).toMatchObject(functions('HttpJobType'));
    expect(zooKeeperGuard).toMatchObject(functions('ZooKeeperGuard', 'FencedError'));
    expect(errorHandlers).toMatchObject(functions('SlackErrorHandler', 'WebhookErrorHandler'));
    expect(cloud).toMatchObject(functions('runTask', 'isElasticJobTask', 'MissingRegistryError'));
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

  it('have no default exports', () => {
    for (const entry of ENTRIES) expect(entry).not.toHaveProperty('default');
  });

  it('have at most 80 names at the front door, besides the deprecated ones', () => {
    const report = readFileSync(`${PACKAGE}/api/index.api.md`, 'utf8');
    const aliases = readFileSync(`${PACKAGE}/src/entries/deprecated.ts`, 'utf8').match(/@deprecated/g)!;
    expect(report.match(/^export /gm)!.length - aliases.length).toBeLessThanOrEqual(80);
  });

  it('have the same thing under the old place of a name that documents have mentioned', () => {
    const moved: Record<string, unknown> = { ...operations, ...tools, ...http, ...zooKeeperGuard, ...errorHandlers };
    for (const name of [...OPERATIONS, ...TOOLS, 'HttpJobType', 'ZooKeeperGuard', 'SlackErrorHandler']) {
      expect(moved[name]).toBeDefined();
      expect(library).toHaveProperty(name, moved[name]);
    }
  });
});

function functions(...names: string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, expect.any(Function)]));
}
