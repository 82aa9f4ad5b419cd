// The small application in CommonJS, under the Nest of a directory: `node bare.fixture.cjs {directory}`.
const { createRequire } = require('node:module');

const load = createRequire(`${process.argv[2]}/package.json`);
load('reflect-metadata');
const { Injectable, Module } = load('@nestjs/common');
const { NestFactory } = load('@nestjs/core');
const { ElasticJob, ElasticJobModule } = load('nestjs-elastic-job');
const { isElasticJobTask, runTask } = load('nestjs-elastic-job/cloud');

class Jobs {
  async settle({ props }) {
    if (props.fail) throw new RangeError(props.fail);
  }
}
const method = Object.getOwnPropertyDescriptor(Jobs.prototype, 'settle');
ElasticJob({ name: 'settle', cron: '0 0 0 1 1 ?', shardingTotalCount: 3 })(Jobs.prototype, 'settle', method);
Injectable()(Jobs);

class AppModule {
  name = 'bare';
}
Module({ imports: [ElasticJobModule.forRoot({ registry: { type: 'memory' } })], providers: [Jobs] })(AppModule);

async function main() {
  if (isElasticJobTask()) await runTask(AppModule, { logger: false });
  else await NestFactory.createApplicationContext(AppModule, { logger: false });
}
void main();
