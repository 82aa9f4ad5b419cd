import { NestFactory } from '@nestjs/core';
import { ReportsModule } from './reports.module.js';

async function bootstrap(): Promise<void> {
  const app = await NestFactory.createApplicationContext(ReportsModule);
  app.enableShutdownHooks();
}

void bootstrap();
