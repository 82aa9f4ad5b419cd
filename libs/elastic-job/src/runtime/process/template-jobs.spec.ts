import { beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '@test/support/unit/member.js';
import { JobRemovedError } from '../../coordination/index.js';
import { createdRoot, removedRoot, resolveJobOptions, UnknownJobError } from '../../domain/index.js';
import type { MemoryRegistryCenter, RegistryCenter } from '../../registry/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import type { JobDefinition, JobTemplate } from '../job/index.js';
import { TemplateJobs } from './template-jobs.js';

const TEMPLATE = 'orders-of-a-shop';
const UNAVAILABLE = -119;

let registry: Registry;
let operator: RegistryCenter;
let center: MemoryRegistryCenter;
let told: JobEvent[];
let joins: JobDefinition[];
let leaves: string[];
let jobs: TemplateJobs;
let join: (definition: JobDefinition) => Promise<void>;
let leave: (jobName: string) => Promise<void>;

beforeEach(async () => {
  registry = new Registry();
  operator = await registry.operator();
  center = registry.connect();
  await center.connect();
  const events = new JobEvents();
  told = [];
  events.on((event) => told.push(event));
  joins = [];
  leaves = [];
  join = async () => {};
  leave = async () => {};
  jobs = new TemplateJobs({
    registry: center,
    clock: registry.clock,
    events,
    join: (definition) => (joins.push(definition), join(definition)),
    leave: (jobName) => (leaves.push(jobName), leave(jobName)),
  });
  jobs.declare(template());
});

describe('a process with a template', () => {
  it('joins the jobs that were created before it started, and those that are created later', async () => {
    await create('shop-1');
    await jobs.open();
    expect(joined()).toEqual(['shop-1']);

    await create('shop-2');
    await registry.clock.advance(50);

    expect(joined()).toEqual(['shop-1', 'shop-2']);
    expect(joins[1]).toMatchObject({
      className: createdRoot(TEMPLATE),
      place: `Shops.settle, template "${TEMPLATE}"`,
      configuration: { jobName: 'shop-2', cron: '0 * * * * ?' },
      createdAs: (await operator.read('/shop-2'))!.stat.czxid,
    });
    expect(told).toEqual([]);
  });

  it('looks once for jobs that are created one after the other', async () => {
    await jobs.open();
    const before = center.traffic.foreground;

    for (const name of ['shop-1', 'shop-2', 'shop-3']) {
      await create(name);
      await registry.clock.advance(10);
    }
    await registry.clock.advance(50);

    expect(joined()).toEqual(['shop-1', 'shop-2', 'shop-3']);
    expect(center.traffic.foreground - before).toBe(2);
  });

  it('finds every job among more than one read holds', async () => {
    const names = Array.from({ length: 501 }, (_, index) => `shop-${index}`);
    for (const name of names) await create(name);

    await jobs.open();
    await registry.clock.advance(0);

    expect(new Set(joined())).toEqual(new Set(names));
  });

  it('joins at most fifty at a time, and the next one as soon as one is done', async () => {
    const ends: (() => void)[] = [];
    join = () => new Promise((resolve) => ends.push(resolve));
    for (let index = 0; index < 120; index += 1) await create(`shop-${index}`);

    await jobs.open();
    await registry.clock.advance(0);
    expect(joins).toHaveLength(50);
    ends.shift()!();
    await registry.clock.advance(0);
    expect(joins).toHaveLength(51);
    while (ends.length > 0) {
      ends.shift()!();
      await registry.clock.advance(0);
    }

    expect(new Set(joined()).size).toBe(120);
  });

  it('joins a job once, however often its root is looked at', async () => {
    await create('shop-1');
    await jobs.open();

    jobs.findJobsSoon();
    await registry.clock.advance(1_000);
    await jobs.open();

    expect(joined()).toEqual(['shop-1']);
  });

  it('leaves alone what is not its own: jobs of other templates, declared jobs, and what is no job', async () => {
    await operator.create('/shop-1', createdRoot('another-template'), 'PERSISTENT');
    await operator.create('/declared', 'Shops.settle', 'PERSISTENT');
    await operator.create('/no@-@job', createdRoot(TEMPLATE), 'PERSISTENT');

    await jobs.open();
    await registry.clock.advance(60_000);

    expect(joins).toEqual([]);
    expect(told).toEqual([]);
  });
});

describe('a job that is to go', () => {
  beforeEach(async () => {
    await create('shop-1');
    await jobs.open();
  });

  it('is left, and deleted once nobody is in it', async () => {
    await remove('shop-1');
    await registry.clock.advance(100);

    expect(leaves).toEqual(['shop-1']);
    expect(await operator.exists('/shop-1')).toBeUndefined();
  });

  it('is deleted also if the process is out of it already', async () => {
    leave = async (jobName) => {
      throw new UnknownJobError(jobName, 'process');
    };

    await remove('shop-1');
    await registry.clock.advance(100);

    expect(await operator.exists('/shop-1')).toBeUndefined();
    expect(told).toEqual([]);
  });

  it('is left again if that has failed, which is told once', async () => {
    let failures = 3;
    leave = async () => {
      if ((failures -= 1) >= 0) throw new Error('still busy');
    };

    await remove('shop-1');
    await registry.clock.advance(60_000);

    expect(leaves).toHaveLength(4);
    expect(await operator.exists('/shop-1')).toBeUndefined();
    expect(told).toMatchObject([
      {
        kind: 'error',
        jobName: 'shop-1',
        message: 'following a job that was created from a template failed',
        error: { message: 'still busy' },
      },
    ]);
  });

  it('is left and joined if it was deleted and created anew before anybody looked', async () => {
    await operator.delete('/shop-1');
    await create('shop-1');
    jobs.findJobsSoon();
    await registry.clock.advance(100);

    expect(leaves).toEqual(['shop-1']);
    expect(joined()).toEqual(['shop-1', 'shop-1']);
    expect(joins[0]!.createdAs).not.toBe(joins[1]!.createdAs);
  });

  it('is heard of by its own tree', async () => {
    await operator.set('/shop-1', removedRoot(TEMPLATE));
    await registry.clock.advance(60_000);
    expect(leaves).toEqual([]);

    joins[0]!.onRootChanged!();
    await registry.clock.advance(50);

    expect(leaves).toEqual(['shop-1']);
  });
});

describe('a job that cannot be joined now', () => {
  it('is joined again after pauses that grow, and told once', async () => {
    const attempts: number[] = [];
    join = async () => {
      attempts.push(registry.clock.monotonicNow());
      if (attempts.length < 5) throw new Error('the configuration is wrong');
    };
    await create('shop-1');

    await jobs.open();
    await registry.clock.advance(60_000);

    const pauses = attempts.slice(1).map((at, index) => at - attempts[index]!);
    expect(pauses).toHaveLength(4);
    for (const [index, pause] of pauses.entries()) {
      expect(pause).toBeGreaterThanOrEqual(500 * 2 ** index);
      expect(pause).toBeLessThanOrEqual(1_000 * 2 ** index);
    }
    expect(told).toHaveLength(1);
  });

  it('is given up without a word if it was removed meanwhile', async () => {
    join = async (definition) => {
      await operator.delete(`/${definition.configuration.jobName}`);
      throw new JobRemovedError('shop-1');
    };
    await create('shop-1');

    await jobs.open();
    await registry.clock.advance(60_000);

    expect(joins).toHaveLength(1);
    expect(told).toEqual([]);
  });

  it('keeps no other one waiting', async () => {
    join = async ({ configuration }) => {
      if (configuration.jobName === 'shop-1') throw new Error('the configuration is wrong');
    };
    await create('shop-1');
    await create('shop-2');

    await jobs.open();
    await registry.clock.advance(0);

    expect(joined()).toEqual(['shop-1', 'shop-2']);
  });
});

describe('a session', () => {
  it('that is over ends all that was to be joined, without a word', async () => {
    join = async () => {
      throw new Error('the session is over');
    };
    await create('shop-1');
    const timers = registry.clock.pendingTimers;
    await jobs.open();
    await registry.clock.advance(0);
    told.length = 0;
    joins.length = 0;

    jobs.close();
    await create('shop-2');
    jobs.findJobsSoon();
    await registry.clock.advance(60_000);

    expect(joins).toEqual([]);
    expect(told).toEqual([]);
    expect(registry.clock.pendingTimers).toBe(timers);
  });

  it('in which the roots cannot be read is told of that, and looks again after pauses that grow', async () => {
    await create('shop-1');
    let reads = 0;
    const heal = registry.memory.failRequests((sessionId) => {
      if (sessionId !== center.session.id) return undefined;
      reads += 1;
      return UNAVAILABLE;
    });

    await jobs.open();
    await registry.clock.advance(30_000);
    expect(told[0]).toMatchObject({
      kind: 'error',
      jobName: undefined,
      message: 'looking for jobs of templates failed',
    });
    expect(reads).toBeGreaterThan(3);
    expect(reads).toBeLessThan(10);
    heal();
    await registry.clock.advance(30_000);

    expect(joined()).toEqual(['shop-1']);
  });

  it('costs a process without templates no request', async () => {
    const without = new TemplateJobs({ registry: center, clock: registry.clock, events: new JobEvents(), join, leave });
    const before = center.traffic.foreground;

    await without.open();
    without.findJobsSoon();
    await registry.clock.advance(60_000);

    expect(center.traffic.foreground).toBe(before);
  });
});

describe('a template', () => {
  it('is refused by name if another one has its name', () => {
    expect(() => jobs.declare({ ...template(), place: 'Others.settle' })).toThrow(
      `name "${TEMPLATE}": Shops.settle has it already; give one of them another name`,
    );
  });

  it('is refused if no node can have its name', () => {
    expect(() => jobs.declare({ ...template(), name: 'a/b' })).toThrow(/^template "a\/b" \(Shops\.settle\).*name /s);
  });

  it('that the process does not have makes no definition', () => {
    expect(jobs.definitionOf('shop-1', 'another-template')).toBeUndefined();
  });
});

function template(): JobTemplate {
  const configuration = resolveJobOptions(
    { name: TEMPLATE, cron: '0 * * * * ?', shardingTotalCount: 1 },
    { place: 'Shops.settle' },
  );
  return { name: TEMPLATE, configuration, place: 'Shops.settle', handler: async () => {} };
}

function joined(): readonly string[] {
  return joins.map(({ configuration }) => configuration.jobName);
}

async function create(name: string): Promise<void> {
  await operator.create(`/${name}`, createdRoot(TEMPLATE), 'PERSISTENT');
}

async function remove(name: string): Promise<void> {
  await operator.set(`/${name}`, removedRoot(TEMPLATE));
  joins.find(({ configuration }) => configuration.jobName === name)!.onRootChanged!();
}
