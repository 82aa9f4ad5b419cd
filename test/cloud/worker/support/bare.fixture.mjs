// A small application over the built package, started as a task or bare: `node bare.fixture.mjs {dist of the package}`.
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const [, , dist] = process.argv;
const { ElasticJob, ElasticJobModule } = await import(`${dist}/index.js`);
const { isElasticJobTask, runTask } = await import(`${dist}/nest/cloud/index.js`);

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
// Bare, it does not even join its job.
const registry = { type: 'memory' };
Module({ imports: [ElasticJobModule.forRoot({ registry, processing: false })], providers: [Jobs] })(AppModule);

const quiet = { logger: false, abortOnError: false };
if (isElasticJobTask()) await runTask(AppModule, quiet);
else {
  const app = await NestFactory.createApplicationContext(AppModule, quiet);
  await app.close();
}
