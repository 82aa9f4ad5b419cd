// Loads both copies of the library into one process, in the order that the second argument gives, and mixes them: the
// modules of the copy that is required, and everything else of the one that is imported. It prints one line of JSON.
// The first argument is the application's folder, the third a file in it that exports what `import` gives.
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const events = require('node:events');

const [directory, first, importer] = process.argv.slice(2);
const load = createRequire(`${directory}/`);

async function both() {
  // Node resolves this like code in the application's folder.
  const importing = pathToFileURL(`${directory}/${importer}`).href;
  const imports = async () => (await import(importing)).libraries;
  const requires = () => ({
    library: load('nestjs-elastic-job'),
    registry: load('nestjs-elastic-job/registry'),
    metrics: load('nestjs-elastic-job/metrics'),
  });
  if (first === 'import') return { imported: await imports(), required: requires() };
  const required = requires();
  return { imported: await imports(), required };
}

async function main() {
  const { imported, required } = await both();
  const { library: esm, registry: esmRegistry, operations, spi, metrics } = imported;
  const { library: cjs, registry: cjsRegistry } = required;
  load('reflect-metadata');
  const { Inject, Logger, Module } = load('@nestjs/common');
  const { NestFactory } = load('@nestjs/core');

  const ran = new EventTarget();
  class Jobs {
    constructor(sharding, registry) {
      this.parts = [sharding, registry];
    }

    run() {
      ran.dispatchEvent(new Event('run'));
    }
  }
  Inject(esm.ShardingService)(Jobs, undefined, 0);
  Inject(esm.REGISTRY_CENTER)(Jobs, undefined, 1);
  const run = Object.getOwnPropertyDescriptor(Jobs.prototype, 'run');
  const jobExtraConfigurations = new spi.HiddenText('- !!com.acme.Tracing {}');
  esm.ElasticJob({ name: 'mixed', cron: '* * * * * ?', shardingTotalCount: 1, jobExtraConfigurations })(
    Jobs.prototype,
    'run',
    run,
  );
  const Root = function () {};
  const server = new esmRegistry.MemoryRegistry(new spi.SystemClock());
  const jobsModule = cjs.ElasticJobModule.forRoot({ registry: { type: 'memory', server } });
  const metricsModule = required.metrics.ElasticJobMetricsModule.forRoot({ path: false });
  Module({ imports: [jobsModule, metricsModule], providers: [Jobs] })(Root);

  Logger.overrideLogger(false);
  const app = await NestFactory.createApplicationContext(Root, { abortOnError: false });
  await events.once(ran, 'run');
  const refused = await app
    .get(esm.ShardingService)
    .assignments('unknown')
    .catch((error) => error);
  const [sharding, center] = app.get(Jobs).parts;
  const { configuration } = app.get(cjs.JobRegistrar).jobs.find(({ jobName }) => jobName === 'mixed');
  const { status } = await app.get(operations.JobStatisticsApi).getJobBriefInfo('mixed');
  process.stdout.write(
    JSON.stringify({
      isOneCopy: esm.ElasticJobModule === cjs.ElasticJobModule,
      isInjected: sharding instanceof cjs.ShardingService && center !== undefined,
      assigned: [...(await sharding.assignments('mixed'))].length,
      isErrorOfBoth: refused instanceof esm.UnknownJobError && refused instanceof cjs.UnknownJobError,
      isHidden: configuration.jobExtraConfigurations instanceof spi.HiddenText,
      isMetered: /^elastic_job_runs_total\{job="mixed"/m.test(await app.get(metrics.JobMetrics).registry.metrics()),
      status,
      isNoOther: !(refused instanceof esmRegistry.SessionLostError || refused instanceof cjsRegistry.SessionLostError),
    }),
  );
  await app.close();
}

void main();
