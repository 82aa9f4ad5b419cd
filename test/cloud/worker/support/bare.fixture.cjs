// The small application in CommonJS, under the Nest of a directory: `node bare.fixture.cjs {directory}`.
const { createRequire } = require('node:module');
const applicationOf = require('./bare-application.cjs');

const load = createRequire(`${process.argv[2]}/package.json`);
load('reflect-metadata');
const { NestFactory } = load('@nestjs/core');
const { isElasticJobTask, runTask } = load('nestjs-elastic-job/cloud');
const AppModule = applicationOf({ ...load('@nestjs/common'), ...load('nestjs-elastic-job') });

async function main() {
  if (isElasticJobTask()) await runTask(AppModule, { logger: false });
  else await NestFactory.createApplicationContext(AppModule, { logger: false });
}
void main();
