// The application of the tasks of this folder, with a main as users write it.
import { NestFactory } from '@nestjs/core';
import { isElasticJobTask, runTask } from '../../../../libs/elastic-job/src/nest/cloud/index.js';
import { AppModule } from './app.module.js';

const limits = { bootTimeoutMs: Number(process.env['BOOT_TIMEOUT_MS'] ?? 60_000), exitTimeoutMs: 300 };
const logger = ['error', 'warn'] as const;

async function bootstrap(): Promise<void> {
  await NestFactory.createApplicationContext(AppModule, { logger: [...logger], abortOnError: false });
  console.log(JSON.stringify('bootstrapped'));
  process.exit(0);
}

if (process.env['RUN_TASK'] === 'always' || (isElasticJobTask() && process.env['RUN_TASK'] !== 'never')) {
  const report = await runTask(AppModule, { ...limits, logger: [...logger] });
  console.log(JSON.stringify({ resolved: report.outcome }));
} else await bootstrap();
