import {
  ElasticJob,
  type ElasticJobModuleOptions,
  JobEvents,
  REGISTRY_CENTER,
  type ShardingContext,
} from '@app/elastic-job';
import { JobConfigurationApi } from '@app/elastic-job/operations';
import { MemoryRegistry, type RegistryCenter } from '@app/elastic-job/registry';
import { VirtualClock } from '@app/elastic-job/testing';
import { Logger, type Provider } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { EVERY_SECOND, JobApplication, rootModule, whileTimePasses } from './support/job-application.js';
import { LogLines } from './support/log-lines.js';

const CONFIG = '/settle-orders/config';

const DIFFERS = {
  kind: 'configuration-differs',
  jobName: 'j',
  edited: true,
  differences: [],
  agreed: [],
  total: 1,
  count: 1,
  isRefused: false,
  overwrite: false,
} as const;

describe('log lines', () => {
  // Nest keeps the last application's logger for the process.
  afterEach(() => {
    Logger.overrideLogger(false);
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  it.each([
    ['a registry that is away', {}, new Error('no answer')],
    ['a wrong setting of a job', { jobs: { 'settle-orders': { cron: 'often' } } }, undefined],
  ])(
    'have one for a start that fails, because of %s',
    async (_, options: Partial<ElasticJobModuleOptions>, refusal) => {
      class OrderJobs {
        @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
        settle(): void {}
      }
      if (refusal !== undefined) vi.spyOn(ElasticJobRuntime.prototype, 'start').mockRejectedValue(refusal);
      const logger = new LogLines();
      const root = rootModule({ providers: [OrderJobs], options });
      const start = NestFactory.createApplicationContext(root, { logger, abortOnError: false });
      const error: unknown = await start.then(
        () => undefined,
        (reason: unknown) => reason,
      );

      const [first] = String(Reflect.get(Object(error), 'message')).split('\n');
      expect(logger.lines.filter((line) => line.startsWith(`error: the start has failed: ${first}`))).toHaveLength(1);
    },
  );

  it('name job and item of each failure, and report the life of the job', async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 3 })
      settle({ shardingItem }: ShardingContext): void {
        if (shardingItem === 0) throw new Error('out of stock');
        // oxlint-disable-next-line no-throw-literal -- what users' code may do
        if (shardingItem === 1) throw undefined;
      }
    }
    const logger = new LogLines();
    const clock = new VirtualClock();
    const root = rootModule({ providers: [OrderJobs], clock, options: { tracing: [{ type: 'log', level: 'debug' }] } });
    const start = NestFactory.createApplicationContext(root, { logger });
    const jobs = new JobApplication(await whileTimePasses(clock, start), clock);
    await jobs.tick();
    expect(logger.lines.filter((line) => line.startsWith('error'))).toEqual([
      'error: settle-orders: item 0 failed: out of stock',
      'error: settle-orders: item 1 failed: undefined',
    ]);
    expect(logger.lines).toContainEqual(expect.stringMatching(/^log: settle-orders: joined as 10\.0\.0\.1@-@/));
    expect(logger.lines).toContainEqual(
      expect.stringMatching(/^debug: settle-orders: 10\.0\.0\.1@-@\S+ leads, term 1$/),
    );
    expect(logger.lines).toContain('debug: settle-orders: item 2 succeeded after 0 ms');
  });

  it.each([
    ['no line at all by default', undefined, 0],
    ['a line for each step if the log is to have the level "debug"', { type: 'log', level: 'debug' }, 2 * 7],
  ] as const)('have of scheduled triggers %s', async (_what, log, count) => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2, failover: true })
      settle(): void {}
    }
    const { lines, jobs } = await startLogging(OrderJobs, log && { tracing: [log] });
    const before = lines.length;
    await jobs.tick();
    await jobs.tick();

    const told = lines.slice(before);
    expect(told).toHaveLength(count);
    expect(told.filter((line) => !line.startsWith('debug: settle-orders: '))).toEqual([]);
    expect(told.filter((line) => line === 'debug: settle-orders: triggered, items 0,1')).toHaveLength(count / 7);
  });

  it('have one line for each job that joins, and one for each that leaves, whoever leads', async () => {
    class DailyJobs {
      @ElasticJob({ name: 'bill', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
      bill(): void {}

      @ElasticJob({ name: 'settle', cron: '0 0 3 * * ?', shardingTotalCount: 3 })
      settle(): void {}
    }
    const clock = new VirtualClock();
    const registry = { type: 'memory', server: new MemoryRegistry(clock) } as const;
    const first = await startLogging(DailyJobs, { registry }, clock);
    const second = await startLogging(DailyJobs, { registry }, clock);
    await clock.advance(5_000);
    for (const { jobs } of [first, second]) await whileTimePasses(clock, jobs.close());

    // Nest has one logger for both.
    const lines = [...first.lines, ...second.lines].filter((line) => / (?:bill|settle): /.test(line));
    const words = ['bill: joined', 'settle: joined', 'bill: joined', 'settle: joined'];
    expect(lines.map((line) => /^log: (\w+: \w+) as /.exec(line)?.[1])).toEqual(
      expect.arrayContaining([...words, ...words.map((word) => word.replace('joined', 'left'))]),
    );
    expect(lines).toHaveLength(8);
  });

  it('tell of runs that end with their process as handed over, and warn of none', async () => {
    const untilAborted = ({ signal }: ShardingContext) =>
      new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    class LongJobs {
      @ElasticJob({ name: 'poll', resident: true, shardingTotalCount: 1 })
      poll(context: ShardingContext): Promise<void> {
        return untilAborted(context);
      }

      @ElasticJob({ name: 'settle', cron: EVERY_SECOND, shardingTotalCount: 1, misfire: false })
      settle(context: ShardingContext): Promise<void> {
        return untilAborted(context);
      }
    }
    const { lines, jobs } = await startLogging(LongJobs, { drainTimeoutMs: 5_000 });
    await jobs.tick();
    await whileTimePasses(jobs.clock, jobs.close());

    expect(lines.filter((line) => line.includes(' handed over ')).toSorted()).toEqual([
      expect.stringMatching(/^log: poll: item 0 handed over after \d+ ms, leaving: /),
      expect.stringMatching(/^log: settle: item 0 handed over after \d+ ms, leaving: .* ran 5000 ms after shutdown/),
    ]);
    expect(lines.filter((line) => /^(?:warn|error)/.test(line))).toEqual([]);
  });

  it('warn of late runs with the fire time, and with their number if they are many', async () => {
    const logger = new LogLines();
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

  it('name both remedies in one warning if the registry had another setting at the start', async () => {
    const { lines, jobs } = await startLogging({ provide: 'no jobs', useValue: undefined });
    const differences = ['a: 1 here, 2 in the registry', 'b: 1 here, 2 in the registry'];
    jobs.app.get(JobEvents).emit({ ...DIFFERS, edited: false, differences, total: 2 });
    expect(lines.filter((line) => line.startsWith('warn: j'))).toEqual([
      `warn: j: the registry overrules, ${differences.join('; ')}; edit it there, or set overwrite: true here`,
    ]);
  });

  it.each([
    [{ edited: false, overwrite: true }, /^warn: j: the registry overrules, a: 1 here, 2 there; edit it there$/],
    [{ edited: false, isRefused: true }, /^warn: j: the code stays in force, a: 1 here, 2 there$/],
    [{ overwrite: true }, /^warn: .*, a: 1 here, 2 there; in force until .* overwrite: true; .* the last start wins$/],
    [{}, /^log: j: edited in the registry, a: 1 here, 2 there; in force until it is edited again$/],
  ])('say which of two settings is in force, and who can change it: %j', async (event, line) => {
    const { lines, jobs } = await startLogging({ provide: 'no jobs', useValue: undefined });

    jobs.app.get(JobEvents).emit({ ...DIFFERS, differences: ['a: 1 here, 2 there'], ...event });

    expect(lines.filter((one) => one.includes(': j: '))).toEqual([expect.stringMatching(line)]);
  });

  it('tell once a job that defaults of the module are overruled, and that an edit gives way to overwrite', async () => {
    class DailyJobs {
      @ElasticJob({ name: 'bill', cron: '0 0 2 * * ?', shardingTotalCount: 1 })
      bill(): void {}

      @ElasticJob({ name: 'settle', cron: '0 0 3 * * ?', shardingTotalCount: 1 })
      settle(): void {}
    }
    const clock = new VirtualClock();
    const registry = { type: 'memory', server: new MemoryRegistry(clock) } as const;
    const linesOf = async (
      defaults: ElasticJobModuleOptions['defaults'],
      work: (jobs: JobApplication) => Promise<unknown> = async () => {},
    ) => {
      const { lines, jobs } = await startLogging(DailyJobs, { registry, defaults }, clock);
      await whileTimePasses(clock, work(jobs));
      await clock.advance(1_000);
      await whileTimePasses(clock, jobs.close());
      return lines.filter((line) => / (?:overrules|edited in the registry)/.test(line));
    };
    const edited = (jobs: JobApplication) =>
      jobs.app.get(JobConfigurationApi).updateJobConfiguration('bill', { timeZone: 'Asia/Tokyo' });

    const told = [
      await linesOf({ timeZone: 'UTC' }),
      await linesOf({ timeZone: 'Europe/Berlin', maxAttempts: 3 }),
      await linesOf({ timeZone: 'Europe/Berlin', overwrite: true }, edited),
    ];

    const overruled =
      'the registry overrules, timeZone: Europe/Berlin here, UTC in the registry; ' +
      'edit it there, or set overwrite: true here';
    expect(told).toEqual([
      [],
      [`warn: bill: ${overruled}`, `warn: settle: ${overruled}`],
      [
        'warn: bill: edited in the registry, timeZone: Europe/Berlin here, Asia/Tokyo in the registry; ' +
          'in force until the next start with overwrite: true; ' +
          'if another application has that too, the last start wins',
      ],
    ]);
  });

  it.each([
    [{ agreed: ['a', 'b'], total: 0 }, 'code and registry agree again'],
    [{ agreed: ['a', 'b'], total: 0, count: 9 }, 'code and registry agree again; the last of 9 changes'],
    [
      { differences: ['c: 1 here, 2 in the registry'], agreed: ['a', 'b'], count: 3 },
      'c: 1 here, 2 in the registry; a as here again; b as here again; the last of 3 changes',
    ],
    [{ count: 2 }, 'differs as before; the last of 2 changes'],
  ])('say where edits of a minute have led, and how many there were: %j', async (event, text) => {
    const { lines, jobs } = await startLogging({ provide: 'no jobs', useValue: undefined });
    jobs.app.get(JobEvents).emit({ ...DIFFERS, ...event });
    jobs.app.get(JobEvents).emit({ ...DIFFERS, ...event, edited: 'differences' in event });

    const line = `log: j: edited in the registry, ${text}`;
    expect(lines.filter((one) => one.includes(': j:'))).toEqual(Array(2).fill(expect.stringContaining(line)));
  });

  it("say an operator's edit once, and it is no warning", async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2, jobParameter: 'of the code' })
      settle(): void {}
    }
    const { lines, jobs } = await startLogging(OrderJobs);
    await edit(jobs, 'jobParameter: of the code', 'jobParameter: of an operator');
    await edit(jobs, "description: ''", 'description: edited');

    expect(lines.filter((line) => line.includes('jobParameter'))).toEqual([
      'log: settle-orders: edited in the registry, jobParameter: of the code here, of an operator in the registry; ' +
        'in force until it is edited again',
    ]);
    expect(lines.filter((line) => line.startsWith('warn'))).toEqual([]);
  });

  it("say an operator's edit and its return within a minute, in two lines that end with what holds", async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2 })
      settle(): void {}
    }
    const { lines, jobs } = await startLogging(OrderJobs);
    const update = (jobParameter: string) =>
      whileTimePasses(
        jobs.clock,
        jobs.app.get(JobConfigurationApi).updateJobConfiguration('settle-orders', { jobParameter }),
      );
    for (const jobParameter of ['north', 'south', '']) {
      await update(jobParameter);
      await jobs.tick();
    }
    await jobs.clock.advance(60_000);

    expect(lines.filter((line) => line.includes('edited'))).toEqual([
      "log: settle-orders: edited in the registry, jobParameter: '' here, north in the registry; " +
        'in force until it is edited again',
      'log: settle-orders: edited in the registry, code and registry agree again; the last of 2 changes',
    ]);
  });

  it.each([
    ['cron', /cron: .*/, 'cron: often'],
    ['timeZone', 'timeZone: UTC', 'timeZone: Europe/Berln'],
    ['shardingTotalCount', 'shardingTotalCount: 2', 'shardingTotalCount: 0'],
    ['strategy', 'nestjs.clockChange', 'nestjs.strategy: BY_MOON\n  nestjs.clockChange'],
  ])('name %s in one error if an edit makes the job unable to run', async (field, part, bad) => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 2, timeZone: 'UTC' })
      settle(): void {}
    }
    const { lines, jobs } = await startLogging(OrderJobs);
    await edit(jobs, part, bad);

    const named = expect.stringMatching(new RegExp(`\\b${field}\\b`));
    expect(jobs.events.filter(({ kind }) => kind === 'error')).toMatchObject([{ error: { message: named } }]);
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([named]);
  });

  it.each([
    ['production', 'warn'],
    ['development', 'log'],
  ])('say under NODE_ENV=%s that the embedded registry is for this process only', async (environment, level) => {
    vi.stubEnv('NODE_ENV', environment);
    expect(await sessionLines({ registry: { type: 'memory' } })).toEqual([
      expect.stringMatching(new RegExp(`^${level}: session .* with the embedded registry, .* this process only`)),
    ]);
  });

  it.each([
    ['ELASTIC_JOB_NAMESPACE', 'warn'],
    ['ELASTIC_JOB_SERVERS', 'warn'],
    ['ELASTICJOB_SERVERS', 'warn'],
    ['ZOOKEEPER_SERVERS', 'warn'],
    ['ZOOKEEPER_SERVICE_HOST', 'log'],
    ['ELASTIC_JOB_SERVER_SERVICE_HOST', 'log'],
    ['ELASTIC_JOB_SERVER_TICK_MS', 'log'],
  ])('say of the embedded registry while the environment has %s: %s', async (name, level) => {
    vi.stubEnv(name, 'orders');
    const although = level === 'warn' ? `although ${name} is set` : 'runs every item too$';
    expect(await sessionLines({ registry: { type: 'memory' } })).toEqual([
      expect.stringMatching(new RegExp(`^${level}: session .* with the embedded registry, .*${although}`)),
    ]);

    vi.stubEnv('ELASTIC_JOB_REGISTRY', 'memory');
    expect(await sessionLines({ registry: { type: 'memory' } })).toEqual([expect.stringMatching(/^log: /)]);
  });

  it('say after what time a crash is noticed over a shared registry', async () => {
    const clock = new VirtualClock();
    const server = new MemoryRegistry(clock);
    expect(await sessionLines({ registry: { type: 'memory', server } }, clock)).toEqual([
      expect.stringMatching(/^log: session .*, granted for 15000 ms: a crash is noticed after about 15 to 17 s$/),
    ]);
  });

  it('tell once that the registry is away and once that it is back, and count what failed in between', async () => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
      settle(): void {}
    }
    const logger = new LogLines();
    const clock = new VirtualClock();
    const server = new MemoryRegistry(clock);
    const options: ElasticJobModuleOptions = { registry: { type: 'memory', server } };
    const root = rootModule({ providers: [OrderJobs], clock, options });
    const starting = NestFactory.createApplicationContext(root, { logger });
    const { app } = new JobApplication(await whileTimePasses(clock, starting), clock);
    await clock.advance(2_000);
    const { id } = app.get<RegistryCenter>(REGISTRY_CENTER).session;
    logger.lines.length = 0;

    server.suspend(id!);
    await clock.advance(6_000);
    server.resume(id!);
    await clock.advance(1_000);

    expect(logger.lines.filter((line) => !/^(?:debug|log: settle)/.test(line))).toEqual([
      `warn: session ${id} SUSPENDED`,
      `log: session ${id} RECONNECTED`,
      expect.stringMatching(/^warn: registry: no answer to 6 triggers or other work \(settle-orders 6\): /),
      expect.stringMatching(/^warn: settle-orders: item 0 missed 5 fire times from /),
    ]);
    await whileTimePasses(clock, app.close());
  });

  it.each([
    ['an error of a handler', (text: string) => ({ error: new Error(text, { cause: new Error(text) }) })],
    ['a warning', (text: string) => ({ message: text })],
  ])('have at most 4 KB, without what is to be redacted, and say how long they were: %s', async (_what, parts) => {
    const { lines, jobs } = await startLogging(
      { provide: 'no jobs', useValue: undefined },
      { redact: (text) => text.replaceAll('s3cret'.repeat(900), '(redacted)') },
    );
    const stacks: string[] = [];
    vi.spyOn(Logger.prototype, 'error').mockImplementation((message, stack) => {
      lines.push(`error: ${message}`);
      stacks.push(String(stack));
    });
    const text = `at first ${'s3cret'.repeat(900)} ${'😀'.repeat(2_000)}`;
    const event = { jobName: 'j', message: 'broken', error: undefined, ...parts(text) };
    jobs.app.get(JobEvents).emit({ kind: 'error' in parts(text) ? 'error' : 'warning', ...event });

    const [line = ''] = lines.filter((one) => one.includes('at first'));
    expect(line).toMatch(/^(?:error|warn): j: .*at first \(redacted\) (?:😀)+ \.\.\. \(cut, of 80\d\d bytes\)$/u);
    expect(Buffer.byteLength(line.replace(/^\w+: /, ''))).toBeLessThanOrEqual(4_096);
    for (const stack of stacks) {
      const each = stack.split('\nCaused by: ');
      expect(each).toHaveLength(2);
      expect(Math.max(...each.map((one) => Buffer.byteLength(one)))).toBeLessThanOrEqual(4_096);
      expect(each).toEqual(Array(2).fill(expect.stringMatching(/\(redacted\).* \.\.\. \(cut, .*\n {4}at /u)));
    }
    expect(stacks).toHaveLength(line.startsWith('error') ? 1 : 0);
  });

  it.each([
    ['warn', ['error']],
    ['off', []],
  ] as const)('are not written below the level "%s"', async (level, levels) => {
    class OrderJobs {
      @ElasticJob({ name: 'settle-orders', cron: EVERY_SECOND, shardingTotalCount: 1 })
      settle(): void {
        throw new Error('out of stock');
      }
    }
    const logger = new LogLines();
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

/** The log lines on the registry's session when an application without jobs starts. */
async function sessionLines(
  options: ElasticJobModuleOptions = {},
  clock = new VirtualClock(),
): Promise<readonly string[]> {
  const logger = new LogLines();
  const root = rootModule({ clock, options });
  const starting = NestFactory.createApplicationContext(root, { logger });
  await new JobApplication(await whileTimePasses(clock, starting), clock).tick();
  return logger.lines.filter((line) => line.includes(' CONNECTED'));
}

/** An application with the jobs of a provider, and its log lines. */
async function startLogging(
  provider: Provider,
  options: ElasticJobModuleOptions = {},
  clock = new VirtualClock(),
): Promise<{ lines: string[]; jobs: JobApplication }> {
  const logger = new LogLines();
  const root = rootModule({ providers: [provider], clock, options });
  const starting = NestFactory.createApplicationContext(root, { logger });
  return { lines: logger.lines, jobs: new JobApplication(await whileTimePasses(clock, starting), clock) };
}

/** Replaces a part of the job's settings, without any check, and lets it be read. */
async function edit(jobs: JobApplication, part: string | RegExp, text: string): Promise<void> {
  const registry = jobs.app.get<RegistryCenter>(REGISTRY_CENTER);
  const { data } = (await registry.read(CONFIG))!;
  expect(data).toMatch(part);
  await registry.set(CONFIG, data.replace(part, text));
  await jobs.tick();
  await jobs.tick();
}
