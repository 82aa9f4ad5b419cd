// A small application over the built package, started as a task or bare: `node bare.fixture.mjs {dist of the package}`.
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import applicationOf from './bare-application.cjs';

const [, , dist] = process.argv;
const { ElasticJob, ElasticJobModule } = await import(`${dist}/index.js`);
const { isElasticJobTask, runTask } = await import(`${dist}/nest/cloud/index.js`);
const AppModule = applicationOf({ Injectable, Module, ElasticJob, ElasticJobModule });

const quiet = { logger: false, abortOnError: false };
if (isElasticJobTask()) await runTask(AppModule, quiet);
else {
  const app = await NestFactory.createApplicationContext(AppModule, quiet);
  await app.close();
}
