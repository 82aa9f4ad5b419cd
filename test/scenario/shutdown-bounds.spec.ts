import { beforeEach, describe, expect, it } from 'vitest';
import {
  type JobErrorHandler,
  resolveJobOptions,
  type ShardingContext,
} from '../../libs/elastic-job/src/domain/index.js';
import { MemoryRegistry, type MemoryRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import { VirtualClock } from '../../libs/elastic-job/src/testing/index.js';
import { range } from './support/run-checks.js';

const JOB = 'settle-orders';
const DRAIN_TIMEOUT_MS = 4_000;
const LONGEST_MS = DRAIN_TIMEOUT_MS + 3_000;
/** Longer than any shutdown, so a frozen registry neither answers nor loses the session. */
const SESSION_TIMEOUT_MS = 60_000;
const LATENCY_MS = 20;

let clock: VirtualClock;
let registry: MemoryRegistry;
let center: MemoryRegistryCenter;
let runtime: ElasticJobRuntime;
let jobErrorHandlerType: string | undefined;
let handler: (context: ShardingContext) => unknown;
beforeEach(() => {
  clock = new VirtualClock();
  registry = new MemoryRegistry(clock);
  handler = untilAborted;
  jobErrorHandlerType = undefined;
  [runtime, center] = create();
});

/** Brings the process into the state to be tested. */
type Arrangement = () => Promise<void>;

const STATES: readonly (readonly [string, Arrangement])[] = [
  ['has not been started', async () => {}],
  [
    'starts, and no server is there',
    async () => {
      center.unplug();
      start();
      await clock.advance(2_000);
    },
  ],
  ...range(15).map(
    (step) =>
      [
        `has been starting for ${step * LATENCY_MS} ms when the registry freezes`,
        async () => {
          start();
          await clock.advance(step * LATENCY_MS);
          freeze();
        },
      ] as const,
  ),
  ['is idle when the registry freezes', () => started().then(freeze)],
  [
    'is idle, and has been frozen out for a while',
    () =>
      started()
        .then(freeze)
        .then(() => clock.advance(20_000)),
  ],
  ['runs items that heed their signals when the registry freezes', () => running().then(freeze)],
  [
    'runs items that heed nothing when the registry freezes',
    async () => {
      handler = hang;
      await running();
      freeze();
    },
  ],
  ['runs items that heed nothing', () => ((handler = hang), running())],
  ['has no connection', () => running().then(() => registry.suspend(center.session.id!))],
  [
    'has lost its session, and no server is there',
    async () => {
      await running();
      registry.suspend(center.session.id!);
      await clock.advance(SESSION_TIMEOUT_MS);
    },
  ],
  ...range(8).map(
    (step) =>
      [
        `has been rejoining for ${step * LATENCY_MS} ms when the registry freezes`,
        async () => {
          handler = hang;
          await running();
          registry.expire(center.session.id!);
          await clock.advance((3 + step) * LATENCY_MS);
          freeze();
        },
      ] as const,
  ),
  ...range(10).map(
    (step) =>
      [
        `has led a resharding for ${step * LATENCY_MS} ms when the registry freezes`,
        async () => {
          await started();
          const [other] = create();
          await clock.advanceUntil(register(other).then(() => other.start()));
          await clock.advance(step * LATENCY_MS);
          freeze();
          await clock.advanceUntil(other.stop());
        },
      ] as const,
  ),
  [
    'removes a job when the registry freezes',
    async () => {
      handler = hang;
      await running();
      void runtime.registrar.remove(JOB);
      await clock.advance(1_000);
      freeze();
    },
  ],
  [
    'has been removing a job from a frozen registry for long',
    async () => {
      handler = hang;
      await running();
      freeze();
      void runtime.registrar.remove(JOB);
      await clock.advance(30_000);
    },
  ],
  [
    'waits for its last deliveries and its threads',
    async () => {
      [runtime, center] = create(NEVER_ENDING);
      jobErrorHandlerType = 'DEAF';
      handler = () => Promise.reject(new Error('no'));
      await running();
      freeze();
    },
  ],
];

describe('a shutdown lasts at most drainTimeoutMs and 3 s', () => {
  it.each(STATES)('if the process %s', async (_, arrange) => {
    await arrange();
    const begun = clock.monotonicNow();

    await clock.advanceUntil(runtime.stop());

    expect(clock.monotonicNow() - begun).toBeLessThanOrEqual(LONGEST_MS);
    expect(runtime.status().phase).toBe('stopped');
    expect(center.session.state).toBeUndefined();
    await clock.advance(SESSION_TIMEOUT_MS);
    expect(clock.pendingTimers).toBe(0);
  });

  it('if it is asked twice: the first deadline holds', async () => {
    handler = hang;
    await running();
    freeze();
    const begun = clock.monotonicNow();

    const first = runtime.stop();
    await clock.advance(3_000);
    await clock.advanceUntil(Promise.all([first, runtime.stop()]));

    expect(clock.monotonicNow() - begun).toBeLessThanOrEqual(LONGEST_MS);
  });

  it('and leaves the registry in order if that answers', async () => {
    handler = () => clock.sleep(2_000);
    await running();
    const begun = clock.monotonicNow();

    await clock.advanceUntil(runtime.stop());

    expect(clock.monotonicNow() - begun).toBeLessThan(2_500);
    const [, operator] = create();
    await clock.advanceUntil(operator.connect());
    expect(await clock.advanceUntil(operator.children(`/${JOB}/instances`))).toEqual([]);
    await clock.advanceUntil(operator.close());
  });

  it('refuses a start that is stopped, and says why', async () => {
    center.unplug();
    await register(runtime);
    const starting = runtime.start();
    starting.catch(() => {});
    await clock.advance(1_000);

    await clock.advanceUntil(runtime.stop());

    await expect(starting).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

const NEVER_ENDING = {
  errorHandlers: [{ type: 'DEAF', handle: () => new Promise<void>(() => {}) } satisfies JobErrorHandler],
  workerPool: { findFault: () => undefined, run: () => Promise.resolve(), close: () => new Promise<void>(() => {}) },
};

function create(
  options: Partial<ConstructorParameters<typeof ElasticJobRuntime>[0]> = {},
): [ElasticJobRuntime, MemoryRegistryCenter] {
  const client = registry.center({
    namespace: 'test',
    clock,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    requestTimeoutMs: 5_000,
    latencyMs: LATENCY_MS,
  });
  const made = new ElasticJobRuntime({ registry: client, clock, drainTimeoutMs: DRAIN_TIMEOUT_MS, ...options });
  return [made, client];
}

async function register(into: ElasticJobRuntime): Promise<void> {
  const options = { name: JOB, cron: '0/10 * * * * ?', shardingTotalCount: 3, failover: true, jobErrorHandlerType };
  const configuration = resolveJobOptions(options, { place: 'spec' });
  await into.registrar.register({
    configuration,
    className: JOB,
    place: 'spec',
    handler: (context) => handler(context),
  });
}

function start(): void {
  void register(runtime)
    .then(() => runtime.start())
    .catch(() => {});
}

async function started(): Promise<void> {
  await register(runtime);
  await clock.advanceUntil(runtime.start());
  await clock.advance(500);
}

/** Moves past the next fire time. */
async function running(): Promise<void> {
  await started();
  await clock.advance(11_000);
}

/** The registry accepts requests and answers none. */
function freeze(): void {
  const { id } = center.session;
  if (id === undefined) center.unplug();
  else registry.cut(id, 'replies');
}

async function untilAborted({ signal }: ShardingContext): Promise<void> {
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}

async function hang(): Promise<void> {
  await new Promise(() => {});
}
