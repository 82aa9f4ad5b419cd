import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ReportsModule } from './reports.module.js';

async function bootstrap(): Promise<void> {
  const app = await NestFactory.createApplicationContext(ReportsModule);
  app.enableShutdownHooks();
}

bootstrap().catch((error: unknown) => {
  Logger.error(error);
  process.exit(1);
});
