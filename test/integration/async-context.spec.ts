import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import {
  ConfigurationService,
  ElasticJob,
  type ElasticJobListener,
  ElasticJobModule,
  ElasticJobTemplate,
  ExecutionService,
  FailoverService,
  InstanceService,
  type JobErrorHandler,
  JobEvents,
  JobRegistrar,
  LeaderService,
  OnJobEvent,
  REGISTRY_CENTER,
  ServerService,
  type ShardingContext,
  ShardingService,
  type ShardingStrategy,
} from '@app/elastic-job';
import {
  JobConfigurationApi,
  JobOperateApi,
  JobStatisticsApi,
  ServerStatisticsApi,
  ShardingOperateApi,
  ShardingStatisticsApi,
} from '@app/elastic-job/operations';
import type { RegistryCenter } from '@app/elastic-job/registry';
import { ZooKeeperGuard } from '@app/elastic-job/guards/zookeeper';
import type { JobEventSink, JobType, RunTrace, RunTracer } from '@app/elastic-job/spi';
import { type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { createShardingStrategy } from '../../libs/elastic-job/src/domain/index.js';
import { LIMITS } from '@test/support/limits.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const als = new AsyncLocalStorage<string>();
const clock = new SystemClock();
const EVERY_SECOND = '* * * * * ?';

/** Values of the store that each function of the user has found, by the function's name. */
let seen: Map<string, Set<string | undefined>>;
/** Set while each function of the user leaves a store of its own behind. */
let leaves: boolean;
/** Called after each entry in `seen`. */
let noted: () => void;

function note(name: string): void {
  seen.set(name, (seen.get(name) ?? new Set()).add(als.getStore()));
  if (leaves) als.enterWith(name);
  noted();
}

class Strategy implements ShardingStrategy {
  readonly type = 'NOTING';
  shard(...args: Parameters<ShardingStrategy['shard']>) {
    note('strategy');
    return createShardingStrategy('AVG_ALLOCATION').shard(...args);
  }
}

class Listener implements ElasticJobListener {
  beforeJobExecuted(): void {
    note('beforeJobExecuted');
  }
  afterJobExecuted(): void {
    note('afterJobExecuted');
  }
}

class Channel implements JobErrorHandler {
  readonly type = 'NOTING';
  handle(): void {
    note('error handler');
  }
}

class Sink implements JobEventSink {
  readonly name = 'noting';
  hear(): void {
    note('sink');
  }
}

class Type implements JobType {
  readonly type = 'NOTING';
  findFaults(): readonly string[] {
    note('findFaults');
    return [];
  }
  execute(): void {
    note('job type');
  }
  settled(): void {
    note('settled of the job type');
  }
}

/** A trace that opens a store for the handlers of one job. */
function traceOf(jobName: string): RunTrace {
  return {
    traceparent: undefined,
    begun: () => note('begun of the tracer'),
    aroundItem: (_context, handle) => (jobName === 'traced' ? als.run('SPAN', handle) : handle()),
    settled: () => note('settled of the tracer'),
    ended: () => note('ended of the tracer'),
  };
}

const tracer: RunTracer = {
  start: ({ jobName }) => {
    note('start of the tracer');
    return traceOf(jobName);
  },
};

@Injectable()
class Jobs {
  @ElasticJob({ name: 'a', cron: EVERY_SECOND, shardingTotalCount: 2, strategy: 'NOTING' })
  a(): void {
    note('handler a');
  }
  @ElasticJob({ name: 'b', cron: EVERY_SECOND, shardingTotalCount: 1, jobErrorHandlerType: 'NOTING' })
  b(context: ShardingContext): void {
    context.assertHeld();
    note('handler b');
    throw new Error('b fails');
  }
  @ElasticJob({ name: 'traced', cron: EVERY_SECOND, shardingTotalCount: 1 })
  async traced({ checkpoint }: ShardingContext): Promise<void> {
    await checkpoint.save('1');
    note('handler traced');
  }
  @ElasticJobTemplate('template')
  created(): void {
    note('handler created');
  }
  @OnJobEvent('started')
  started(): void {
    note('event method');
  }
}

type Registry = { readonly type: 'memory' } | { readonly type: 'zookeeper'; servers: string; namespace: string };

async function start(registry: Registry): Promise<INestApplicationContext> {
  @Module({
    imports: [
      ElasticJobModule.forRoot({
        registry,
        tracer,
        listeners: [new Listener()],
        strategies: [new Strategy()],
        errorHandlers: [new Channel()],
        jobTypes: [new Type()],
        tracing: [new Sink()],
        errorWindowMs: 1_000,
      }),
    ],
    providers: [Jobs],
  })
  class App {}
  return NestFactory.createApplicationContext(App, { logger: false, abortOnError: false });
}

interface Call {
  readonly name: string;
  readonly make: (app: INestApplicationContext) => unknown;
}

/** A call of each public method of a service. */
function callsOf<Service>(
  token: abstract new (...args: never[]) => Service,
  methods: Readonly<Record<string, (service: Service) => unknown>>,
): Call[] {
  return Object.entries(methods).map(([method, call]) => ({
    name: `${token.name}.${method}`,
    make: (app) => call(app.get<Service>(token)),
  }));
}

const YESTERDAY = { items: [0], fireTimes: [1_000], anyTime: true };

/** In the order in which they are made. The jobs run on behind them. */
const CALLS: readonly Call[] = [
  ...callsOf(JobRegistrar, {
    add: (of) => of.add({ name: 'added', cron: EVERY_SECOND, shardingTotalCount: 1 }, new Type()),
    change: (of) => of.change('a', { description: 'changed' }),
    pause: (of) => of.pause('a'),
    resume: (of) => of.resume('a'),
    around: (of) => of.around((_context, run) => run()),
    nextFireTimes: (of) => of.nextFireTimes('a'),
    lastFireTime: (of) => of.lastFireTime('a'),
    isTicking: (of) => of.isTicking('a'),
    remove: (of) => of.remove('added'),
  }),
  ...callsOf(JobEvents, {
    on: (of) => of.on(() => {}),
    emit: (of) => of.emit({ kind: 'warning', jobName: 'a', message: 'told by the application' }),
  }),
  ...callsOf(ConfigurationService, { current: (of) => of.current('a'), declared: (of) => of.declared('a') }),
  ...callsOf(ExecutionService, { running: (of) => of.running('a') }),
  ...callsOf(FailoverService, {
    claim: (of) => of.claim('a'),
    confirmLost: (of) => of.confirmLost('a', 0),
    overflowed: (of) => of.overflowed('a'),
    pending: (of) => of.pending('a'),
  }),
  ...callsOf(InstanceService, { instances: (of) => of.instances('a') }),
  ...callsOf(LeaderService, {
    isLeader: (of) => of.isLeader('a'),
    leader: (of) => of.leader('a'),
    resign: (of) => of.resign('a'),
    term: (of) => of.term('a'),
    terms: (of) => of.terms('a', AbortSignal.abort()),
  }),
  ...callsOf(ServerService, { servers: (of) => of.servers('a') }),
  ...callsOf(ShardingService, {
    assignments: (of) => of.assignments('a'),
    requestResharding: (of) => of.requestResharding('a'),
  }),
  ...callsOf(JobConfigurationApi, {
    getJobConfiguration: (of) => of.getJobConfiguration('a'),
    previewJobConfiguration: (of) => of.previewJobConfiguration('b', { description: 'edited' }),
    updateJobConfiguration: (of) => of.updateJobConfiguration('b', { description: 'edited' }),
    removeJobConfiguration: (of) => of.removeJobConfiguration('nobody'),
  }),
  ...callsOf(JobOperateApi, {
    create: (of) => of.create({ name: 'created', template: 'template', cron: EVERY_SECOND, shardingTotalCount: 1 }),
    trigger: (of) => of.trigger('a'),
    previewRerun: (of) => of.previewRerun('a', YESTERDAY),
    rerun: (of) => of.rerun('a', YESTERDAY),
    reruns: (of) => of.reruns('a'),
    withdrawRerun: (of) => of.withdrawRerun('a', 'nobody'),
    resign: (of) => of.resign('a'),
    disable: (of) => of.disable('a'),
    enable: (of) => of.enable('a'),
    disableServer: (of) => of.disableServer(clock.hostAddress()),
    enableServer: (of) => of.enableServer(clock.hostAddress()),
    dump: (of) => of.dump('a'),
    cancel: (of) => of.cancel('a', 0),
    cancelAll: (of) => of.cancelAll('a'),
    confirmLost: (of) => of.confirmLost('a', 0),
    reshard: (of) => of.reshard('a'),
    shutdown: (of) => of.shutdown('a', { serverIp: '10.9.9.9' }),
    shutdownServer: (of) => of.shutdownServer('10.9.9.9'),
    removeServer: (of) => of.removeServer('10.9.9.9'),
    remove: (of) => of.remove('nobody'),
  }),
  ...callsOf(JobStatisticsApi, {
    getAllJobsBriefInfo: (of) => of.getAllJobsBriefInfo(),
    getJobBriefInfo: (of) => of.getJobBriefInfo('a'),
    getJobsBriefInfo: (of) => of.getJobsBriefInfo('10.0.0.1'),
    getJobsTotalCount: (of) => of.getJobsTotalCount(),
  }),
  ...callsOf(ServerStatisticsApi, {
    getAllServersBriefInfo: (of) => of.getAllServersBriefInfo(),
    getServersTotalCount: (of) => of.getServersTotalCount(),
  }),
  ...callsOf(ShardingOperateApi, { disable: (of) => of.disable('a', 1), enable: (of) => of.enable('a', 1) }),
  ...callsOf(ShardingStatisticsApi, { getShardingInfo: (of) => of.getShardingInfo('a') }),
  {
    name: 'ZooKeeperGuard.assertNotAhead',
    make: (app) => guardOf(app).assertNotAhead('a', { tokenEpoch: 0, token: 0n }),
  },
  {
    name: 'ZooKeeperGuard.write',
    make: (app) => guardOf(app).write({ jobName: 'a', shardingItem: 0, tokenEpoch: 0, token: 1n }, []),
  },
];

function guardOf(app: INestApplicationContext): ZooKeeperGuard {
  return new ZooKeeperGuard(app.get<RegistryCenter>(REGISTRY_CENTER), '/fences');
}

/**
 * Classes of which the library calls the methods, and methods that are part of a call above or end the test's events.
 */
const NO_CALLS = [
  /Error(Handler)?\.|Module\.|Filter\.|Channel\./,
  /^(DistributeOnceElasticJobListener|HttpJobType)\./,
  /^(JobRegistrar\.register|JobEvents\.silence)$/,
];

/** All methods of the classes that two entries of the package export, by the reports of its interface. */
function publicMethods(): string[] {
  return ['index', 'operations'].flatMap((entry) => {
    const report = readFileSync(`libs/elastic-job/api/${entry}.api.md`, 'utf8');
    return [...report.matchAll(/^export (?:abstract )?class (\w+).*\n((?: {4}.*\n)*)/gm)].flatMap(([, name, body]) =>
      [...body!.matchAll(/^ {4}(?!constructor)(\w+)\(/gm)].map(([, method]) => `${name}.${method}`),
    );
  });
}

let app: INestApplicationContext;
beforeEach(() => {
  seen = new Map();
  leaves = false;
  noted = () => {};
});
afterEach(() => app?.close());

it('has a call of each public method', () => {
  const called = new Set(CALLS.map(({ name }) => name));
  const missing = publicMethods().filter((name) => !called.has(name) && !NO_CALLS.some((none) => none.test(name)));
  expect(missing).toEqual([]);
});

describe.each<[string, () => Registry]>([
  ['embedded', () => ({ type: 'memory' })],
  ['over ZooKeeper', () => ({ type: 'zookeeper', servers: zooKeeper, namespace: `context-${clock.uuid()}` })],
])('the store of a request (%s)', LIMITS, (_, registry) => {
  it("is not that of anything that its calls leave behind, and stays that of the caller's own code", async () => {
    app = await start(registry());
    await allSeen();

    const kept: string[] = [];
    for (const { name, make } of CALLS) {
      const left = await als.run('REQUEST', async () => {
        const resources = resourcesOf('REQUEST');
        await Promise.resolve(make(app)).catch(() => {});
        expect(als.getStore()).toBe('REQUEST');
        return resources.end();
      });
      kept.push(...left.map((type) => `${name}: ${type}`));
    }
    expect(kept).toEqual([]);
  });

  it('is seen by no function of the user that the library calls', async () => {
    app = await als.run('START', () => start(registry()));
    for (const { make } of CALLS) await als.run('REQUEST', async () => make(app)).catch(() => {});
    seen.clear();
    await app.get(ShardingService).requestResharding('a');
    await allSeen();

    expect(storesSeen()).toEqual({ 'handler traced': ['SPAN'], 'all others': [undefined] });
  });

  it('is that of one call of a function of the user if this enters it', async () => {
    app = await start(registry());
    leaves = true;
    await allSeen();
    seen.clear();
    await app.get(ShardingService).requestResharding('a');
    await allSeen();

    expect(storesSeen()).toEqual({ 'handler traced': ['SPAN'], 'all others': [undefined] });
  });
});

const NAMES = [
  'strategy',
  'beforeJobExecuted',
  'afterJobExecuted',
  'error handler',
  'sink',
  'handler a',
  'handler b',
  'event method',
  'start of the tracer',
  'begun of the tracer',
  'settled of the tracer',
  'ended of the tracer',
  'handler traced',
];

/** Resolves when each function of the user has been called. */
function allSeen(): Promise<void> {
  const isDone = () => NAMES.every((name) => seen.has(name));
  if (isDone()) return Promise.resolve();
  return new Promise((resolve) => (noted = () => isDone() && resolve()));
}

function storesSeen(): Record<string, unknown[]> {
  const { 'handler traced': traced, ...others } = Object.fromEntries(seen);
  return {
    'handler traced': [...traced!],
    'all others': [...new Set(Object.values(others).flatMap((stores) => [...stores]))],
  };
}

/** Records the resources (timers, sockets ...) that are made in a store from now on. Promises are the caller's too. */
function resourcesOf(store: string): { end(): string[] } {
  const types: string[] = [];
  const hook = createHook({
    init(_id, type) {
      if (type !== 'PROMISE' && als.getStore() === store) types.push(type);
    },
  }).enable();
  return {
    end: () => {
      hook.disable();
      return types;
    },
  };
}
