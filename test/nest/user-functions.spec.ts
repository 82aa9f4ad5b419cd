import { AsyncLocalStorage } from 'node:async_hooks';
import {
  DistributeOnceElasticJobListener,
  type ElasticJobListener,
  ElasticJobModule,
  type ElasticJobModuleOptions,
  type JobErrorHandler,
  type JobEvent,
  JobRegistrar,
  type LogSinkOptions,
  type NamedJobOptions,
  OnJobEvent,
} from '@app/elastic-job';
import type { JobEventSink, JobType, RunInterceptor, RunTrace, WorkerPool } from '@app/elastic-job/spi';
import { createTestCluster, type TestCluster } from '@app/elastic-job/testing';
import { Logger, Module, type Type } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createShardingStrategy, describeError, type JobWork } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { changeAll } from '@test/support/unit/change-all.js';
import { functionsIn } from '@test/support/unit/function-types.js';
import { THROWN_TRAPS } from '@test/support/unit/thrown-traps.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DRAIN_MS = 10 * SECOND;
const VICTIM = 'victim';
const OTHER = 'other';
const BROKEN = 'a broken function of a user';
const UNREADABLE = 'does not let itself be read';
const THROWN_PROMISE = 'a promise was thrown';

type Anything = (...args: never[]) => unknown;
/** Makes a function that misbehaves while it is told to. */
type Wrap = <F extends Anything>(good: F) => F;

/** One function that a user can give: how a process gets it, and what follows when it fails. */
interface UserFunction {
  readonly options?: (wrap: Wrap) => Partial<ElasticJobModuleOptions>;
  readonly job?: (wrap: Wrap) => Partial<NamedJobOptions>;
  readonly work?: (wrap: Wrap) => JobWork;
  readonly providers?: (wrap: Wrap) => Type<unknown>[];
  readonly around?: (wrap: Wrap) => RunInterceptor;
  /** Makes the library call it, if a run does not. May reject: the caller is told then. */
  readonly act?: (registrar: JobRegistrar) => Promise<unknown>;
  /** Set if it is called as the process starts or the job is added, which may be refused with its error. */
  readonly isAtStart?: true;
  /** Set if the run waits for it, so that an event names one that never settles. */
  readonly isAwaited?: true;
  /** Part of the line about its promise, if it must not return one. */
  readonly promised?: string;
  /** Reason for which no line has its error. */
  readonly quiet?: string;
}

const fails = () => {
  throw new Error('no such order');
};
const listening = (own: (wrap: Wrap) => Partial<ElasticJobListener>): UserFunction => ({
  options: (wrap) => ({ listeners: [{ type: 'OWN', beforeJobExecuted() {}, afterJobExecuted() {}, ...own(wrap) }] }),
  job: () => ({ jobListenerTypes: ['OWN'] }),
  isAwaited: true,
});
const onceListening = (own: (wrap: Wrap) => Partial<DistributeOnceElasticJobListener>): UserFunction => ({
  options: (wrap) => {
    class Once extends DistributeOnceElasticJobListener {
      override readonly type = 'OWN';
      doBeforeJobExecutedAtLastStarted() {}
      doAfterJobExecutedAtLastCompleted() {}
    }
    return { listeners: [Object.assign(new Once(5 * SECOND, 5 * SECOND), own(wrap))] };
  },
  job: () => ({ jobListenerTypes: ['OWN'] }),
  isAwaited: true,
});
const handling = (own: (wrap: Wrap) => Partial<JobErrorHandler>): UserFunction => ({
  options: (wrap) => ({ errorHandlers: [{ type: 'OWN', handle: () => {}, ...own(wrap) }], errorWindowMs: SECOND }),
  job: () => ({ jobErrorHandlerType: 'OWN' }),
  work: () => fails,
});
const sinking = (own: (wrap: Wrap) => Partial<JobEventSink>): UserFunction => ({
  options: (wrap) => ({ tracing: [{ name: 'own', hear() {}, ...own(wrap) }] }),
});
const traced = (own: (wrap: Wrap) => Partial<RunTrace>): UserFunction => {
  const trace: RunTrace = {
    traceparent: undefined,
    begun() {},
    aroundItem: (_context, handle) => handle(),
    settled() {},
    ended() {},
  };
  return { options: (wrap) => ({ tracer: { start: () => ({ ...trace, ...own(wrap) }) } }) };
};
const typed = (own: (wrap: Wrap) => Partial<JobType>): UserFunction => ({
  work: (wrap) => ({ type: 'OWN', findFaults: () => [], execute: () => {}, ...own(wrap) }),
});
const pooled = (own: (wrap: Wrap) => Partial<WorkerPool>): UserFunction => ({
  options: (wrap) => ({
    workerPool: { findFault: () => undefined, run: async () => {}, close: async () => {}, ...own(wrap) },
  }),
  job: () => ({ isolation: 'worker-thread', workerModule: import.meta.url, workerExport: 'work' }),
});
const edit = (registrar: JobRegistrar) => registrar.change(VICTIM, { props: { address: 'http://b.example' } });

/** Every function that a user can give, by type and name. */
const FUNCTIONS: Readonly<Record<string, UserFunction>> = {
  JobHandler: { work: (wrap) => wrap(() => {}), isAwaited: true },
  'DataflowJob.fetchData': { work: (wrap) => ({ fetchData: wrap(() => []), processData() {} }), isAwaited: true },
  'DataflowJob.processData': {
    work: (wrap) => ({ fetchData: () => [1], processData: wrap(() => {}) }),
    isAwaited: true,
  },
  'JobType.execute': { ...typed((wrap) => ({ execute: wrap(() => {}) })), isAwaited: true },
  'JobType.findFaults': { ...typed((wrap) => ({ findFaults: wrap(() => []) })), act: edit },
  'JobType.settled': typed((wrap) => ({ settled: wrap(() => {}) })),
  'PropTarget.targetOf': {
    ...typed((wrap) => ({ targets: { address: { among: 'origins', targetOf: wrap((value: string) => value) } } })),
    job: () => ({ props: { address: 'http://a.example' } }),
    act: edit,
    quiet: 'a target that cannot be read is not allowed: a difference tells of it',
  },
  'ShardingStrategy.shard': {
    job: (wrap) => {
      const even = createShardingStrategy('AVG_ALLOCATION');
      return {
        strategy: { type: 'OWN', shard: wrap((...args: Parameters<typeof even.shard>) => even.shard(...args)) },
      };
    },
    act: (registrar) => registrar.change(VICTIM, { shardingTotalCount: 2 }),
    promised: 'that is no Map',
  },
  'ElasticJobListener.beforeJobExecuted': listening((wrap) => ({ beforeJobExecuted: wrap(() => {}) })),
  'ElasticJobListener.afterJobExecuted': listening((wrap) => ({ afterJobExecuted: wrap(() => {}) })),
  'DistributeOnceElasticJobListener.doBeforeJobExecutedAtLastStarted': onceListening((wrap) => ({
    doBeforeJobExecutedAtLastStarted: wrap(() => {}),
  })),
  'DistributeOnceElasticJobListener.doAfterJobExecutedAtLastCompleted': onceListening((wrap) => ({
    doAfterJobExecutedAtLastCompleted: wrap(() => {}),
  })),
  'JobErrorHandler.handle': { ...handling((wrap) => ({ handle: wrap(() => {}) })), isAwaited: true },
  'JobErrorHandler.findFaults': {
    ...handling((wrap) => ({ findFaults: wrap(() => []) })),
    promised: 'must return a list of texts',
  },
  'JobErrorHandler.timeLimitMs': {
    ...handling((wrap) => ({ timeLimitMs: wrap(() => SECOND) })),
    quiet: 'a limit that is a promise is no limit: the default counts',
  },
  'JobEventSink.start': { ...sinking((wrap) => ({ start: wrap(() => {}) })), isAtStart: true },
  'JobEventSink.hear': sinking((wrap) => ({ hear: wrap(() => {}) })),
  'JobEventSink.stop': { ...sinking((wrap) => ({ stop: wrap(async () => {}) })), quiet: 'it is called last' },
  'RunTracer.start': { options: (wrap) => ({ tracer: { start: wrap(() => undefined) } }) },
  'RunTrace.begun': traced((wrap) => ({ begun: wrap(() => {}) })),
  'RunTrace.aroundItem': {
    options: (wrap) => {
      const around = wrap((_context: unknown, handle: () => unknown) => handle());
      return same({
        tracer: { start: () => ({ begun() {}, settled() {}, ended() {}, aroundItem: around }) },
      });
    },
  },
  'RunTrace.settled': traced((wrap) => ({ settled: wrap(() => {}) })),
  'RunTrace.ended': traced((wrap) => ({ ended: wrap(() => {}) })),
  Redact: {
    options: (wrap) => ({ redact: wrap((text: string) => text) }),
    work: () => fails,
    quiet: 'a text that cannot be redacted is not shown',
  },
  'WorkerPool.findFault': { ...pooled((wrap) => ({ findFault: wrap(() => undefined) })), isAtStart: true },
  'WorkerPool.run': { ...pooled((wrap) => ({ run: wrap(async () => {}) })), isAwaited: true },
  'WorkerPool.close': { ...pooled((wrap) => ({ close: wrap(async () => {}) })), quiet: 'it is called last' },
  'FencedStore.assertNotAhead': {
    options: (wrap) => ({ fences: [same({ assertNotAhead: wrap(async () => {}) })] }),
    isAtStart: true,
  },
  RunInterceptor: { around: (wrap) => wrap((_context, run) => run()), isAwaited: true },
  OnJobEvent: {
    providers: (wrap) => {
      const onCompleted = wrap((_event: unknown) => {});
      class Hearing {
        @OnJobEvent('completed')
        onCompleted(event: unknown): unknown {
          return onCompleted(event);
        }
      }
      return [Hearing];
    },
  },
};

/** Types of all that a user gives. */
const ROOTS = [
  'ElasticJobModuleOptions',
  'JobOptions',
  'JobWork',
  'DistributeOnceElasticJobListener',
  'RunInterceptor',
];

/** Functions of types that are no part of the table. */
const ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/^(Clock|Timer|RegistryCenter|Subtree|ChildrenWatch|NodeOwners)\b/, 'ports, whose adapters have their contracts'],
  [/^(ItemWork|FindPropsFaults)$/, 'the forms in which the library calls handlers and checks'],
  [/^RunTracer\.within$|^RunTrace\.(task|traceparentOf)$/, 'called for tasks: guarded-run-tracer.spec.ts'],
];

const MISBEHAVIOUR: Readonly<Record<string, { readonly act: () => unknown; readonly tells?: string }>> = {
  throws: { act: () => fail(new Error(BROKEN)), tells: BROKEN },
  rejects: { act: async () => fail(new Error(BROKEN)), tells: BROKEN },
  'rejects late': {
    act: async () => {
      await cluster?.clock.sleep(SECOND);
      fail(new Error(BROKEN));
    },
    tells: BROKEN,
  },
  'returns a rejected promise': { act: () => Promise.reject(new Error(BROKEN)), tells: BROKEN },
  'throws a rejected promise': { act: () => fail(Promise.reject(new Error(BROKEN))), tells: THROWN_PROMISE },
  'throws an error whose cause is a rejected promise': {
    act: () => fail(new Error(BROKEN, { cause: Promise.reject(new Error(BROKEN)) })),
    tells: BROKEN,
  },
  'throws a value with traps': { act: () => fail(THROWN_TRAPS.get('a revoked proxy')!()), tells: UNREADABLE },
  'never settles': { act: () => new Promise(() => {}) },
  'returns garbage': { act: () => ({ garbage: Symbol('garbage') }) },
  'returns a value with traps': { act: () => THROWN_TRAPS.get('a revoked proxy')!() },
  'blocks the event loop': { act: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5) },
};

const unhandled = vi.fn<(reason: unknown) => void>();
let cluster: TestCluster | undefined;
let told: JobEvent[];
/** Each call of a handler, as told. */
let runs: { readonly jobName: string; readonly item: number; readonly fireTime: number }[];
/** Work of the other job. */
let atOther: () => void;
let misbehaves: (() => unknown) | undefined;

beforeEach(() => {
  told = [];
  runs = [];
  atOther = () => {};
  misbehaves = undefined;
  cluster = undefined;
  unhandled.mockReset();
  process.on('unhandledRejection', unhandled);
});
afterEach(async () => {
  misbehaves = undefined;
  await cluster?.stop();
  process.off('unhandledRejection', unhandled);
  Logger.overrideLogger(false);
});

describe('the table of the functions that users give', () => {
  it('has each function of the types of options, jobs, and what else a user writes', () => {
    const missing = functionsIn(ROOTS)
      .filter((name) => !ELSEWHERE.some(([pattern]) => pattern.test(name)))
      .filter((name) => !(name in FUNCTIONS));

    expect(missing).toEqual([]);
  });

  it('has no function that there is not', () => {
    const known = [...functionsIn(ROOTS), 'OnJobEvent'];

    expect(Object.keys(FUNCTIONS).filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe.each(Object.entries(FUNCTIONS))('%s', (_name, given) => {
  // The caller of a start that is refused gets the error, and with it the promise.
  const row = Object.entries(MISBEHAVIOUR).filter(([how]) => !given.isAtStart || !how.includes('a rejected promise'));

  it.each(row)('harms its own job at most, and not in silence, if it %s', async (how) => {
    const course = await courseOf(given, how);
    await new Promise((resolve) => setImmediate(resolve));

    expect(course).toEqual(GOOD_COURSE);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

const TOLD = Object.entries(FUNCTIONS).filter(([, { quiet }]) => quiet === undefined);

describe.each(TOLD)('%s, if it throws,', (_name, given) => {
  it('has the stack of its error in the log once, unless its caller gets the error', async () => {
    const log: string[] = [];
    const keep = (...texts: unknown[]): void => void log.push(...texts.map(String));
    let calls = 0;
    const act = () => fail(withCall(new Error(BROKEN), (calls += 1)));
    misbehaves = given.isAtStart && act;

    let caught = (await start(given, misbehaving, 'debug'))?.error;
    Logger.overrideLogger({ log: keep, warn: keep, error: keep, debug: keep });
    misbehaves = act;
    caught ??= await refusalOf(given);
    if (!given.isAtStart) await cluster!.advance(30 * SECOND);
    misbehaves = undefined;
    await cluster?.advance(MINUTE);

    const texts = [...log, describeError(caught)].join('\n');
    const counts = Array.from({ length: calls }, (_, call) => texts.split(callText(call + 1)).length - 1);
    expect(counts[0]).toBe(1);
    expect(Math.max(...counts)).toBe(1);
  });
});

describe.each(Object.entries(FUNCTIONS))('%s, if it changes all that it is given,', (_name, given) => {
  it('changes no run', async () => {
    const refusal = await start(given, changing);
    await cluster?.advance(MINUTE);

    expect(refusal).toBeUndefined();
    const first = runs.at(0)!.fireTime;
    const fireTimes = [0, 1, 2, 3, 4, 5].map((run) => first + run * 10 * SECOND);
    for (const jobName of [OTHER, VICTIM]) {
      expect(runs.filter((run) => run.jobName === jobName)).toEqual(
        fireTimes.map((fireTime) => ({ jobName, item: 0, fireTime })),
      );
    }
  });
});

/** All but the function of a tracer that enters something around a handler: each handler sees that. */
const NOT_AROUND = Object.entries(FUNCTIONS).filter(([name]) => name !== 'RunTrace.aroundItem');

describe.each(NOT_AROUND)('%s, if it enters a store of AsyncLocalStorage,', (_name, given) => {
  it('enters it for no other call', async () => {
    const store = new AsyncLocalStorage<string>();
    const seen = new Set<string | undefined>();
    const entering: Wrap = (good) =>
      same((...args: never[]) => {
        seen.add(store.getStore());
        store.enterWith('entered');
        return good(...args);
      });
    atOther = () => void seen.add(store.getStore());

    await store.run('of the test', async () => {
      await start(given, entering);
      await cluster!.advance(MINUTE);
    });

    expect(runs.map(({ jobName }) => jobName)).toContain(OTHER);
    expect(seen).not.toContain('entered');
  });
});

/** Calls of a run by a listener and a handler, of which they await none. */
const UNAWAITED: Readonly<Record<string, UserFunction>> = {
  'the run within an interceptor': {
    around: () => (_context, run) => void run(),
    work: () => fails,
  },
  'a checkpoint, whose value cannot be saved': {
    work:
      () =>
      ({ checkpoint }) =>
        void checkpoint.save(10n),
  },
  'a checkpoint of a job without records': {
    job: () => ({ monitorExecution: false }),
    work:
      () =>
      ({ checkpoint }) => {
        void checkpoint.load();
        void checkpoint.clear();
      },
  },
  'a checkpoint, after the run': {
    work: () => async (context) => {
      await cluster!.clock.sleep(5 * SECOND, context.signal).catch(() => {});
      setImmediate(() => void context.checkpoint.save(1));
    },
  },
  'a barrier that is not reached in time': {
    options: () => ({
      listeners: [
        {
          beforeJobExecuted: (_contexts, barrier) => void barrier.meet('completed', 1, () => {}),
          afterJobExecuted() {},
        },
      ],
    }),
  },
};

it.each(Object.entries(UNAWAITED))('hears the rejection, if nobody awaits %s', async (_what, given) => {
  await start(given);
  await cluster!.advance(30 * SECOND);
  await new Promise((resolve) => setImmediate(resolve));

  expect(runs.map(({ jobName }) => jobName)).toContain(VICTIM);
  expect(unhandled).not.toHaveBeenCalled();
});

/** A minute in which the function misbehaves, a minute in which it does not, and a shutdown in which it does again. */
interface Course {
  readonly otherJob: 'ran on' | 'stood still';
  readonly ownJob: 'ran again or is named' | 'stands still in silence';
  /** `told`, or all that was told instead. */
  readonly failure: string;
  readonly shutdown: 'in time' | 'late';
}

const GOOD_COURSE: Course = {
  otherJob: 'ran on',
  ownJob: 'ran again or is named',
  failure: 'told',
  shutdown: 'in time',
};

async function courseOf(given: UserFunction, how: string): Promise<Course> {
  const { act } = MISBEHAVIOUR[how]!;
  misbehaves = given.isAtStart && act;
  const refusal = await start(given);
  // A process that does not start tells why.
  if (refusal !== undefined) return { ...GOOD_COURSE, failure: describeError(refusal.error) === '' ? '' : 'told' };
  misbehaves = act;
  const isRefused = await acted(given);
  await cluster!.advance(MINUTE);
  const [whileBad, runsWhileBad] = [reasons(), runsOf(VICTIM)];
  misbehaves = undefined;
  await cluster!.advance(MINUTE);
  const isNamed = [...whileBad, ...reasons()].some((reason) => reason.includes(VICTIM));
  const goesOn = isNamed || isRefused || runsOf(VICTIM) > runsWhileBad;
  const course = {
    otherJob: runsOf(OTHER) >= 11 ? 'ran on' : 'stood still',
    ownJob: goesOn ? 'ran again or is named' : 'stands still in silence',
    failure: isRefused || isTold(given, how) ? 'told' : lines(),
  } as const;

  misbehaves = act;
  const since = cluster!.clock.monotonicNow();
  await cluster!.stop();
  const ms = cluster!.clock.monotonicNow() - since;
  return { ...course, shutdown: ms <= DRAIN_MS + 3 * SECOND ? 'in time' : 'late' };
}

/** True if a line has the failure, as far as there is one that must be told. */
function isTold({ isAwaited, promised, quiet }: UserFunction, how: string): boolean {
  if (how === 'never settles') return !isAwaited || /hung|JOB_TIMEOUT|no answer within|ran longer/.test(lines());
  const { tells } = MISBEHAVIOUR[how]!;
  if (tells === undefined || quiet !== undefined) return true;
  if (tells === THROWN_PROMISE) return [tells, BROKEN].every((text) => lines().includes(text));
  return lines().includes(tells === BROKEN && !how.startsWith('throws') ? (promised ?? tells) : tells);
}

/** @returns the error with which the start or the job is refused */
async function start(
  given: UserFunction,
  wrap = misbehaving,
  level: LogSinkOptions['level'] = 'off',
): Promise<{ readonly error: unknown } | undefined> {
  const own = given.options?.(wrap) ?? {};
  const sink: JobEventSink = { name: 'told', hear };
  const tracing = [sink, { type: 'log', level } as const, ...(own.tracing ?? [])];
  const options = { drainTimeoutMs: DRAIN_MS, hungGraceMs: 3 * SECOND, ...own, tracing };

  @Module({ imports: [ElasticJobModule.forRoot(options)], providers: given.providers?.(wrap) ?? [] })
  class AppModule {}

  try {
    cluster = await createTestCluster({ instances: 1, module: AppModule });
    const registrar = cluster.app(0).get(JobRegistrar);
    const common = { cron: '0/10 * * * * ?', shardingTotalCount: 1 };
    await cluster.clock.advanceUntil(registrar.add({ ...common, name: OTHER }, () => atOther()));
    if (given.around !== undefined) registrar.around(given.around(wrap));
    const job = { ...common, name: VICTIM, timeoutMs: 4 * SECOND, ...given.job?.(wrap) };
    await cluster.clock.advanceUntil(registrar.add(job, given.work?.(wrap) ?? (() => {})));
    return undefined;
  } catch (error) {
    return { error };
  }
}

const misbehaving: Wrap = (good) =>
  same((...args: never[]) => (misbehaves === undefined ? good(...args) : misbehaves()));

const changing: Wrap = (good) =>
  same((...args: never[]) => {
    const answer = good(...args);
    changeAll(args.slice());
    return answer;
  });

function hear(event: JobEvent): void {
  told.push(event);
  if (event.kind !== 'started') return;
  const { item, trigger } = event;
  runs.push({ jobName: trigger.jobName, item, fireTime: trigger.fireTime });
}

/** @returns true if the caller was told of the failure */
async function acted(given: UserFunction): Promise<boolean> {
  return (await refusalOf(given)) !== undefined;
}

/** @returns the error that the caller gets; undefined if there is none */
async function refusalOf({ act }: UserFunction): Promise<unknown> {
  try {
    if (act !== undefined) await cluster!.clock.advanceUntil(act(cluster!.app(0).get(JobRegistrar)));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The error with a line of its own in its stack. */
function withCall(error: Error, call: number): Error {
  return Object.assign(error, { stack: `${error.stack}\n${callText(call)}` });
}

function callText(call: number): string {
  return `    at user (call-${call}-.ts:1:1)`;
}

function runsOf(jobName: string): number {
  return told.filter((event) => event.kind === 'started' && event.trigger.jobName === jobName).length;
}

function reasons(): readonly string[] {
  return judgeReadiness(cluster!.instances[0]!.runtime.status()).details.reasons;
}

/** All errors that events have, as texts. */
function lines(): string {
  return told
    .flatMap((event) => {
      if (event.kind === 'settled') return 'error' in event.outcome ? describeError(event.outcome.error) : [];
      if (event.kind === 'hung') return ['hung', describeError(event.reason)];
      if (event.kind === 'configuration-differs') return event.differences;
      return 'error' in event ? describeError(event.error) : [];
    })
    .join('\n');
}

/** The value, of whatever type: what a user gives may break its type. */
function same(value: unknown) {
  return Object.assign(JSON.parse('{}'), { it: value }).it;
}

function fail(error: unknown): never {
  throw error;
}
