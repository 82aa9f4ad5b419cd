// Uses every feature that needs an optional package, in a folder that has none of them. It prints one line of JSON:
// code, package and command of each error.
const { createRequire } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const [directory] = process.argv.slice(2);
const load = createRequire(`${directory}/`);
load('reflect-metadata');
const { Logger, Module } = load('@nestjs/common');
const { NestFactory } = load('@nestjs/core');
const { ScheduleModule } = load('@nestjs/schedule');
const { ElasticJob, ElasticJobModule } = load('nestjs-elastic-job');
const { EmailErrorHandler } = load('nestjs-elastic-job/email');
const { SystemClock } = load('nestjs-elastic-job/spi');
const { createTestCluster } = load('nestjs-elastic-job/testing');
const { WorkerThreads } = load('nestjs-elastic-job/worker-pool');

const jobsModule = ElasticJobModule.forRoot({ registry: { type: 'memory' } });

class Jobs {
  run() {}
}
const run = Object.getOwnPropertyDescriptor(Jobs.prototype, 'run');
ElasticJob({ name: 'listed', cron: '0 0 0 * * ?', shardingTotalCount: 1 })(Jobs.prototype, 'run', run);

const USES = {
  listing: () =>
    NestFactory.createApplicationContext(rootOf(jobsModule, ScheduleModule.forRoot()), { abortOnError: false }),
  testing: () => createTestCluster({ instances: 1, module: rootOf(jobsModule) }),
  email: async () => {
    const handler = new EmailErrorHandler({ host: 'localhost', from: 'a@localhost', to: 'b@localhost' });
    const warning = await warned;
    if (warning.packageName !== 'nodemailer') throw warning;
    await handler.handle({}, { props: {} });
  },
  workerPool: async () => {
    const pool = new WorkerThreads();
    const context = { signal: new AbortController().signal };
    const module = pathToFileURL(path.join(directory, 'nothing.mjs')).href;
    const work = { module, exportName: 'run', context, input: { mode: 'value' }, clock: new SystemClock() };
    await pool.run(work).finally(() => pool.close());
  },
};
/** The warning before the first failure is to be mailed. */
const warned = new Promise((resolve) => process.once('warning', resolve));

function rootOf(...imports) {
  const Root = function () {};
  Module({ imports, providers: [Jobs] })(Root);
  return Root;
}

async function main() {
  Logger.overrideLogger(false);
  const told = {};
  for (const [name, use] of Object.entries(USES)) {
    told[name] = await use().then(
      () => 'works',
      ({ code, packageName, message }) => ({ code, packageName, command: /"(npm install [^"]+)"/.exec(message)?.[1] }),
    );
  }
  process.stdout.write(JSON.stringify(told), () => process.exit());
}

void main();
