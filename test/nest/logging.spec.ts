import {
  ElasticJob,
  type ElasticJobModuleOptions,
  JobEvents,
  REGISTRY_CENTER,
  type ShardingContext,
} from '@app/elastic-job';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import { VirtualClock } from '@app/elastic-job/testing';
import { Logger, type LoggerService, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { EVERY_SECOND, JobApplication, rootModule, whileTimePasses } from './support/job-application.js';

const CONFIG = '/settle-orders/config';

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
    vi.unstubAllEnvs();
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

  it('given the default level, when triggers come, then their lines are at debug alone', async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2, failover: true })
      settle(): void {}
    }
    const logger = new Lines();
    const clock = new VirtualClock();
    const root = rootModule({ providers: [OrderJobs], clock });
    const jobs = new JobApplication(
      await whileTimePasses(clock, NestFactory.createApplicationContext(root, { logger })),
      clock,
    );
    logger.lines.length = 0;
    await jobs.tick();
    await jobs.tick();

    expect(logger.lines).toContain('debug: settle-orders: triggered, items 0,1');
    expect(logger.lines.filter((line) => !line.startsWith('debug: '))).toEqual([]);
  });

  it('given runs that are late, when they are told, then a warning has the fire time, and the number if it is of many', async () => {
    const logger = new Lines();
    const clock = new VirtualClock();
    const start = NestFactory.createApplicationContext(rootModule({ clock }), { logger });
    const { app } = new JobApplication(await whileTimePasses(clock, start), clock);
    const trigger = { jobName: 'bills', fireTime: 0, origin: 'schedule', source: 'NORMAL_TRIGGER' } as const;
    for (const count of [1, 60])
      app.get(JobEvents).emit({ kind: 'late', trigger, latenessMs: 6_000.4, lateAfterMs: 5_000, count });

    const line = 'warn: bills: begun 6000 ms late for 1970-01-01T00:00:00.000Z';
    expect(logger.lines.filter((text) => text.startsWith('warn: bills'))).toEqual([
      line,
      `${line}, the latest of 60 runs that were more than 5000 ms late`,
    ]);
  });

  it('given a setting that the registry has otherwise, when the job joins, then one line names both remedies', async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2, jobParameter: 'of the code' })
      settle(): void {}
    }
    const { lines, jobs } = await startLogging(OrderJobs);
    await edit(jobs, 'jobParameter: of the code', 'jobParameter: of an operator');
    await edit(jobs, "description: ''", 'description: edited');

    const told = lines.filter((line) => line.includes('overrules') && line.includes('jobParameter'));
    expect(told).toEqual([
      expect.stringMatching(
        /^warn: settle-orders: the registry overrules, .*jobParameter.*; edit it there, or set overwrite: true here$/,
      ),
    ]);
  });

  it.each([
    ['cron', /cron: .*/, 'cron: often'],
    ['timeZone', 'timeZone: UTC', 'timeZone: Europe/Berln'],
    ['shardingTotalCount', 'shardingTotalCount: 2', 'shardingTotalCount: 0'],
    ['strategy', 'nestjs.clockChange', 'nestjs.strategy: BY_MOON\n  nestjs.clockChange'],
  ])(
    'given an edit by which the job cannot run, when it is written, then one error names %s',
    async (field, part, bad) => {
      class OrderJobs {
        @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2, timeZone: 'UTC' })
        settle(): void {}
      }
      const { lines, jobs } = await startLogging(OrderJobs);
      await edit(jobs, part, bad);

      const named = expect.stringMatching(new RegExp(`\\b${field}\\b`));
      expect(jobs.events.filter(({ kind }) => kind === 'error')).toMatchObject([{ error: { message: named } }]);
      expect(lines.filter((line) => line.startsWith('error'))).toEqual([named]);
    },
  );

  it.each([
    ['production', 'warn'],
    ['development', 'log'],
  ])(
    'given the embedded registry under NODE_ENV=%s, when it starts, then a line says that it is for this process only',
    async (environment, level) => {
      vi.stubEnv('NODE_ENV', environment);
      expect(await sessionLines()).toEqual([
        expect.stringMatching(new RegExp(`^${level}: session .* with the embedded registry, .* this process only`)),
      ]);
    },
  );

  it('given a registry that others share, when it starts, then a line says after what time a crash is noticed', async () => {
    const clock = new VirtualClock();
    const server = new MemoryRegistry(clock);
    expect(await sessionLines({ registry: { type: 'memory', server } }, clock)).toEqual([
      expect.stringMatching(/^log: session .*, granted for 15000 ms: a crash is noticed after about 15 to 17 s$/),
    ]);
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

/** What is said of the registry's session when an application without jobs starts. */
async function sessionLines(
  options: ElasticJobModuleOptions = {},
  clock = new VirtualClock(),
): Promise<readonly string[]> {
  const logger = new Lines();
  const root = rootModule({ clock, options });
  const starting = NestFactory.createApplicationContext(root, { logger });
  await new JobApplication(await whileTimePasses(clock, starting), clock).tick();
  return logger.lines.filter((line) => line.includes(' CONNECTED'));
}

/** An application with the jobs of a provider, and what it has logged. */
async function startLogging(provider: Provider): Promise<{ lines: readonly string[]; jobs: JobApplication }> {
  const logger = new Lines();
  const clock = new VirtualClock();
  const root = rootModule({ providers: [provider], clock });
  const starting = NestFactory.createApplicationContext(root, { logger });
  return { lines: logger.lines, jobs: new JobApplication(await whileTimePasses(clock, starting), clock) };
}

/** Writes another text for a part of the job's settings, past every rule, and lets it be read. */
async function edit(jobs: JobApplication, part: string | RegExp, text: string): Promise<void> {
  const registry = jobs.app.get<RegistryCenter>(REGISTRY_CENTER);
  const { data } = (await registry.read(CONFIG))!;
  expect(data).toMatch(part);
  await registry.set(CONFIG, data.replace(part, text));
  await jobs.tick();
  await jobs.tick();
}
