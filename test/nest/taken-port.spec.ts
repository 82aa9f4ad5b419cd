import { once } from 'node:events';
import { createServer } from 'node:net';
import { ElasticJob } from '@app/elastic-job';
import { SystemClock } from '@app/elastic-job/spi';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { rootModule } from './support/job-application.js';
import { LogLines } from './support/log-lines.js';

class OrderJobs {
  @ElasticJob({ name: 'settle-orders', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
  settle(): void {}
}

afterEach(() => Logger.overrideLogger(false));

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return Number(Reflect.get(Object(server.address()), 'port'));
}

/** Starts as `main.ts` of the pages "Drain" and "Checklist" does. */
async function start(port: number, logger: LogLines): Promise<void> {
  const root = rootModule({ options: { clock: new SystemClock() }, providers: [OrderJobs] });
  const app = await NestFactory.create(root, { logger });
  try {
    await app.listen(port, '127.0.0.1');
  } catch (error) {
    await app.close();
    throw error;
  }
}

it('an application whose port is taken leaves its jobs if it is closed before the process ends', async () => {
  const logger = new LogLines();

  await expect(start(await takenPort(), logger)).rejects.toThrow('EADDRINUSE');

  expect(logger.lines.filter((line) => /joined as|left as/.test(line))).toEqual([
    expect.stringContaining('settle-orders: joined as'),
    expect.stringContaining('settle-orders: left as'),
  ]);
});
