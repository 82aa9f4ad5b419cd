// A worker in plain CommonJS, as a user of Nest 11 writes it. It uses the Nest and the library that are installed in
// the directory of the first argument. It prints one line of JSON for each step.
const { createRequire } = require('node:module');

const [directory, arrangement, registry] = process.argv.slice(2);
const load = createRequire(`${directory}/`);
load('reflect-metadata');
const { Inject, Module } = load('@nestjs/common');
const { NestFactory } = load('@nestjs/core');
const { ScheduleModule, SchedulerRegistry } = load('@nestjs/schedule');
const { ElasticJob, ElasticJobModule, LeaderService } = load('nestjs-elastic-job');
const { ElasticJobHealthIndicator, ElasticJobHealthModule } = load('nestjs-elastic-job/terminus');

const say = (step) => process.stdout.write(`${JSON.stringify(step)}\n`);

class Database {
  isOpen = true;

  onModuleDestroy() {
    this.isOpen = false;
    say('database closed');
  }
}

class OrderJobs {
  constructor(database) {
    this.database = database;
  }

  async settle() {
    say('begun');
    await new Promise((resolve) => void setTimeout(resolve, 300));
    say(this.database.isOpen ? 'written' : 'written to a closed database');
  }
}
Inject(Database)(OrderJobs, undefined, 0);
const settle = Object.getOwnPropertyDescriptor(OrderJobs.prototype, 'settle');
ElasticJob({ name: 'settle-orders', cron: '* * * * * ?', shardingTotalCount: 1, failover: true })(
  OrderJobs.prototype,
  'settle',
  settle,
);

function module(name, metadata) {
  const type = { [name]: function () {} }[name];
  Module(metadata)(type);
  return type;
}

const jobs = ElasticJobModule.forRoot({ registry: JSON.parse(registry) });
const database = module('DatabaseModule', { providers: [Database], exports: [Database] });
const extras = [ScheduleModule.forRoot(), ElasticJobHealthModule];

const ROOTS = {
  before: { imports: [database, jobs, ...extras], providers: [OrderJobs] },
  after: { imports: [jobs, database, ...extras], providers: [OrderJobs] },
  root: { imports: [jobs, ...extras], providers: [Database, OrderJobs] },
};

async function main() {
  const options = { logger: ['error'], abortOnError: false };
  const app = await NestFactory.create(module('RootModule', ROOTS[arrangement]), options);
  app.enableShutdownHooks();
  await app.init();
  say({
    leader: app.get(LeaderService).isLeader('settle-orders'),
    listed: app.get(SchedulerRegistry).getCronJob('settle-orders').isActive,
    readiness: app.get(ElasticJobHealthIndicator).readiness().elasticJob.status,
  });
  process.on('message', () => void app.close().then(() => say('closed') && process.disconnect()));
}

void main();
