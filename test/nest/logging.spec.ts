import { ElasticJob, type ElasticJobModuleOptions, type ShardingContext } from '@app/elastic-job';
import { VirtualClock } from '@app/elastic-job/testing';
import { Logger, type LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it } from 'vitest';
import { EVERY_SECOND, JobApplication, rootModule, whileTimePasses } from './support/job-application.js';

/** Log lines as `level: text`; the context must be ours. */
class Lines implements LoggerService {
  readonly lines: string[] = [];

  log = this.keep('log');
  warn = this.keep('warn');
  error = this.keep('error');
  debug = this.keep('debug');

  private keep(level: string) {
    return (message: unknown, ...rest: unknown[]): void => {
      if (rest.at(-1) === 'ElasticJob') this.lines.push(`${level}: ${String(message)}`);
    };
  }
}

describe('log lines', () => {
  // Nest keeps the last application's logger for the process.
  afterEach(() => {
    Logger.overrideLogger(false);
  });

  it('given items that fail, when they have run, then each error names job and item, and life events are told', async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 3 })
      settle({ shardingItem }: ShardingContext): void {
        if (shardingItem === 0) throw new Error('out of stock');
        // oxlint-disable-next-line no-throw-literal -- what users' code may do
        if (shardingItem === 1) throw undefined;
      }
    }
    const logger = new Lines();
    const clock = new VirtualClock();
    const start = NestFactory.createApplicationContext(rootModule({ providers: [OrderJobs], clock }), { logger });
    const jobs = new JobApplication(await whileTimePasses(clock, start), clock);
    await jobs.tick();
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error: settle-orders: item 0 failed: out of stock',
      'error: settle-orders: item 1 failed: undefined',
    ]);
    expect(logger.lines).toContainEqual(expect.stringMatching(/^log: settle-orders: joined as 10\.0\.0\.1@-@/));
    expect(logger.lines).toContainEqual(expect.stringMatching(/^log: settle-orders: 10\.0\.0\.1@-@\S+ leads, term 1$/));
    expect(logger.lines).toContain('debug: settle-orders: item 2 succeeded after 0 ms');
  });

  it.each([
    ['warn', ['error']],
    ['off', []],
  ] as const)('given the level "%s", when items fail, then no line below it is written', async (level, levels) => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
      settle(): void {
        throw new Error('out of stock');
      }
    }
    const logger = new Lines();
    const clock = new VirtualClock();
    const options: ElasticJobModuleOptions = { tracing: [{ type: 'log', level }] };
    const root = rootModule({ providers: [OrderJobs], clock, options });
    const jobs = new JobApplication(
      await whileTimePasses(clock, NestFactory.createApplicationContext(root, { logger })),
      clock,
    );
    await jobs.tick();

    expect(new Set(logger.lines.map((line) => line.split(':')[0]))).toEqual(new Set(levels));
  });
});
