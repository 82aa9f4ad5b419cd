import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobOperateApi } from 'nestjs-elastic-job/operations';
import { AppModule } from './app.module.js';
import { OrderStore } from './order.store.js';

async function bootstrap(): Promise<void> {
  const app = await NestFactory.createApplicationContext(AppModule);
  app.enableShutdownHooks(); // so that SIGTERM drains the jobs
  await app.get(OrderStore).add(1_000);
  await app.get(JobOperateApi).trigger('settle-orders'); // now, and then every night
}

bootstrap().catch((error: unknown) => {
  Logger.error(error);
  process.exit(1);
});
