import { posix } from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { JobPaths } from '../../libs/elastic-job/src/coordination/index.js';
import { resolveJobOptions } from '../../libs/elastic-job/src/domain/index.js';
import { judgeReadiness } from '../../libs/elastic-job/src/health/index.js';
import { ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../libs/elastic-job/src/runtime/index.js';
import type { JobEvent } from '../../libs/elastic-job/src/tracing/index.js';
import { ascending, range } from '../scenario/support/run-checks.js';
import { connectRawClient, type RawClient } from '@test/support/faults/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const JOB = 'settle-orders';
/** Texts that are no records, or whose parts are none. */
const TEXTS = [
  '{"v":1,"run":5,"by":{},"target":[]}',
  '{"v":1,"run":"a","by":"b","target":{"fireTime":"1","origin":"schedule"}}',
  '{"v":1,"run":"a","by":"b","target":{"fireTime":1,"origin":"schedule"},"settled":"yes"}',
  '{"v":1,"run":"a","by":"b","target":{"fireTime":1,"origin":"schedule"},"attempt":[],"begunAt":"x","triggers":7,' +
    '"early":{"after":"x"},"trace":1}',
  'null',
  '[1]',
  '{',
  '\u0000',
];
/** The promised limit for every damage, in milliseconds. */
const HEALED_WITHIN_MS = 60_000;
const LIMITS = { timeout: 2 * HEALED_WITHIN_MS };
/** Nodes that are laid again. Where an instance's own node is gone, an operator may have meant it. */
const HEALED = [
  ...new JobPaths(JOB).laid.map((path) => path.slice(JOB.length + 2)).filter((name) => name !== 'instances'),
  'sharding/2',
  'config',
  'usable',
];
const NOBODY = '10.0.0.9@-@77';
const clock = new SystemClock();

/** A job that runs every second in two processes, an operator with a plain client, and the runs and events so far. */
interface Damaged {
  readonly operator: RawClient;
  /** Path of the job with the namespace. */
  readonly root: string;
  readonly runtimes: readonly ElasticJobRuntime[];
  readonly events: readonly JobEvent[];
  readonly runs: { readonly process: number; readonly item: number }[];
  readonly items: readonly number[];
  /** Starts one more process. */
  join(): Promise<void>;
}

describe.concurrent('damage by hand to the tree of a running job, over a real ZooKeeper', LIMITS, () => {
  // The first, because it takes the longest: instances compare their own marks every 15 s.
  it('heals within 60 s if owners and marks are written by hand', async (context) => {
    const job = await start(context);
    const [first, second] = await job.operator.children(`${job.root}/instances`);
    const { operator, root } = job;
    await operator.setData(`${root}/sharding/0/instance`, NOBODY);
    await operator.setData(`${root}/sharding/1/instance`, first!);
    await operator.create(`${root}/sharding/1/failover`, { data: NOBODY });
    await operator.create(`${root}/sharding/2/failovering`, { data: second! });
    await operator.create(`${root}/sharding/3/failover`, { data: first! });
    await operator.create(`${root}/leader/failover/items/3`);

    await untilAllRun(job);
    await within(async () => {
      for (const [item, mark] of [
        [1, 'failover'],
        [2, 'failovering'],
        [3, 'failover'],
      ] as const) {
        expect((await operator.exists(`${root}/sharding/${item}/${mark}`)).error).not.toBe(0);
      }
    });
  });

  it.for(HEALED)('heals within 60 s if %s is deleted with everything below', async (name, context) => {
    const job = await start(context);
    const path = `${job.root}/${name}`;
    await job.operator.removeAll(path);

    await within(async () => expect((await job.operator.exists(path)).error).toBe(0));
    await within(() => expect(job.runtimes.filter(({ leader }) => leader.isLeader(JOB))).toHaveLength(1));
    await untilAllRun(job);
    await job.join();
    await within(() => expect(job.runs.some(({ process }) => process === 2)).toBe(true));
    await untilAllRun(job);
    expect(problems(job)).toEqual([undefined, undefined, undefined]);
    expect(job.events.filter(({ kind }) => kind === 'error')).toEqual([]);
  });

  it.for([
    ['the instances of the job', '/instances'],
    ['the job', ''],
    ['the namespace', '/..'],
  ] as const)(
    'is reported with the remedy if %s with all below is deleted, and resume brings it back',
    async ([, name], context) => {
      const job = await start(context);
      await job.operator.removeAll(posix.join(job.root, name));
      const says = expect.stringMatching(/the node "\/settle-orders\/instances\/.*" is gone\).*JobRegistrar\.resume/);

      await within(() => expect(problems(job)).toEqual([says, says]));
      expect(job.events.filter(({ kind }) => kind === 'error')).toHaveLength(2);
      for (const runtime of job.runtimes) expect(judgeReadiness(runtime.status()).status).toBe('down');
      await within(async () => expect(await childrenOf(job, 'sessions')).toEqual([]));
      expect(await childrenOf(job, 'instances')).toEqual([]);

      for (const { registrar } of job.runtimes) registrar.resume(JOB);
      await untilAllRun(job);
      await within(() => expect(new Set(job.runs.splice(0).map(({ process }) => process))).toEqual(new Set([0, 1])));
      expect(problems(job)).toEqual([undefined, undefined]);
      for (const runtime of job.runtimes) expect(judgeReadiness(runtime.status()).status).toBe('up');
    },
  );

  it('leaves an edit in force if a bad one follows, even in a process that starts later', async (context) => {
    const job = await start(context);
    const config = `${job.root}/config`;
    const edited = (await textOf(job, 'config')).replace("jobParameter: ''", 'jobParameter: edited');
    await job.operator.setData(config, edited);
    await within(async () => expect(await textOf(job, 'usable')).toBe(edited));
    await job.operator.setData(config, edited.replace('* * * * * ?', 'often').replace('edited', 'bad'));

    await within(() => expect(faults(job)).toEqual(Array(2).fill(expect.stringContaining('often'))));
    await job.join();
    await untilAllRun(job);

    expect(faults(job)).toEqual(Array(3).fill(expect.stringContaining('often')));
    expect(problems(job)).toEqual([undefined, undefined, undefined]);
    for (const { configurations } of job.runtimes) expect(configurations.current(JOB).jobParameter).toBe('edited');
    await within(() => expect(job.runs.some(({ process }) => process === 2)).toBe(true));
  });

  it('heals within 60 s if a mark of resharding has no session, and is reported', async (context) => {
    const job = await start(context);
    await job.operator.create(`${job.root}/leader/sharding/processing`);

    await within(async () =>
      expect((await job.operator.exists(`${job.root}/leader/sharding/processing`)).error).not.toBe(0),
    );
    expect(job.events).toContainEqual(expect.objectContaining({ kind: 'warning', jobName: JOB }));
    await untilAllRun(job);
  });

  it('does not make the job mixed if nodes below instances are no instances, and all items run', async (context) => {
    const job = await start(context);
    // A real one is ephemeral.
    for (const name of ['junk', '@-@', '10.0.0.9', '10.0.0.9@-@', '10.0.0.9@-@77']) {
      expect((await job.operator.create(`${job.root}/instances/${name}`, { data: 'labels: x' })).error).toBe(0);
    }

    await untilAllRun(job);
    await untilAllRun(job);
    expect(job.events.filter(({ kind }) => kind === 'mixed')).toEqual([]);
  });

  it('heals within 60 s if records have texts that are none, each item another one', async (context) => {
    const job = await start(context, TEXTS.length);
    for (const [item, text] of TEXTS.entries()) {
      expect((await job.operator.setData(`${job.root}/sharding/${item}/record`, text)).error).toBe(0);
    }

    await untilAllRun(job);
  });
});

/** @param context of the test: alone it knows which of the concurrent tests ends */
async function start(context: TestContext, total = 4): Promise<Damaged> {
  const namespace = `damage-${clock.uuid()}`;
  const runtimes: ElasticJobRuntime[] = [];
  const events: JobEvent[] = [];
  const runs: { process: number; item: number }[] = [];
  let client: RawClient | undefined;
  context.onTestFinished(async () => {
    await Promise.all(runtimes.map((runtime) => runtime.stop()));
    await client?.stop();
  });
  const join = async () => {
    const process = runtimes.length;
    const registry = new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace }, clock);
    const runtime = new ElasticJobRuntime({ registry, clock, drainTimeoutMs: 2_000 });
    runtimes.push(runtime);
    runtime.events.on((event) => events.push(event));
    const place = 'damage.spec';
    const options = { name: JOB, cron: '* * * * * ?', shardingTotalCount: total, failover: true };
    await runtime.registrar.register({
      configuration: resolveJobOptions(options, { place }),
      className: JOB,
      place,
      handler: ({ shardingItem: item }) => void runs.push({ process, item }),
    });
    await runtime.start();
  };
  await join();
  await join();
  const operator = await connectRawClient(Number(zooKeeper.split(':').at(-1)), { sessionTimeoutMs: 60_000 });
  client = operator;
  const job = { operator, root: `/${namespace}/${JOB}`, runtimes, events, runs, items: range(total), join };
  await untilAllRun(job);
  events.length = 0;
  return job;
}

/** Counts only runs from now on. */
async function untilAllRun({ runs, items }: Damaged): Promise<void> {
  runs.length = 0;
  await within(() => expect([...new Set(runs.map(({ item }) => item))].toSorted(ascending)).toEqual(items));
}

function within(holds: () => unknown): Promise<unknown> {
  return vi.waitFor(holds, { timeout: HEALED_WITHIN_MS, interval: 100 });
}

function problems({ runtimes }: Damaged): (string | undefined)[] {
  return runtimes.map((runtime) => runtime.status().jobs[0]!.problem);
}

async function textOf({ operator, root }: Damaged, name: string): Promise<string> {
  const { body } = await operator.getData(`${root}/${name}`);
  return body.toString('utf8', 4, 4 + body.readInt32BE());
}

async function childrenOf({ operator, root }: Damaged, name: string): Promise<readonly string[]> {
  const path = `${root}/${name}`;
  return (await operator.exists(path)).error === 0 ? operator.children(path) : [];
}

function faults({ runtimes }: Damaged): (string | undefined)[] {
  return runtimes.map((runtime) => runtime.status().jobs[0]!.configurationFault);
}
