import { beforeEach, describe, expect, it } from 'vitest';
import {
  DrainDeadlineError,
  formatParentProgress,
  formatStartLedger,
  NO_STARTS,
  parseStartLedger,
  withParents,
} from '../../domain/index.js';
import type { RegistryCenter } from '../../registry/index.js';
import {
  afterNextTransaction,
  beforeNextTransaction,
  JOB,
  type Member,
  Registry,
  SUCCEEDED,
} from '@test/support/unit/member.js';
import { RunNotes, type UnmetDependency } from './run-notes.js';

let registry: Registry;
let operator: RegistryCenter;
let first: Member;
let second: Member;
beforeEach(async () => {
  registry = new Registry();
  const [one, another] = await registry.sharded(2, { shardingTotalCount: 4 });
  [first, second] = [one, another!];
  operator = await registry.operator();
});

describe('settles of a job that others are started after', () => {
  it('cause one start if the last items of two instances end at the same moment', async () => {
    await addChild('report', [JOB]);
    const [mine, theirs] = [await begin(first, [0, 1]), await begin(second, [2, 3])];

    beforeNextTransaction(first, async () => {
      settle(theirs, SUCCEEDED);
      await theirs.settled();
    });
    settle(mine, SUCCEEDED);
    await registry.clock.advance(0);

    expect(await mine.settled()).toEqual(new Map([0, 1].map((item) => [item, SUCCEEDED])));
    expect(await starts('report')).toEqual([1_000]);
  });

  it('cause one start although the answer to a settle is lost', async () => {
    await addChild('report', [JOB]);
    const lease = await begin(first, [0, 1, 2, 3]);
    registry.memory.loseNextReply(first.sessionId);

    settle(lease, SUCCEEDED);
    await registry.clock.advance(100);

    expect([...(await lease.settled()).values()]).toEqual(Array(4).fill(SUCCEEDED));
    expect(await starts('report')).toEqual([1_000]);
  });

  it('lose no start of a child that another parent starts at the same moment', async () => {
    await addChild('report', [JOB]);
    const lease = await begin(first, [0, 1, 2, 3]);

    beforeNextTransaction(first, () =>
      operator.set(
        '/report/after',
        formatStartLedger({ ...withParents(NO_STARTS, [JOB]), starts: [{ fireTime: 500, at: 600 }] }),
      ),
    );
    settle(lease, SUCCEEDED);
    await registry.clock.advance(0);

    expect([...(await lease.settled()).values()]).toEqual(Array(4).fill(SUCCEEDED));
    expect(await starts('report')).toEqual([500, 1_000]);
  });

  it('start a child of this job alone, and only count for a child that waits for another parent too', async () => {
    await addChild('report', [JOB]);
    await addChild('summary', ['import', JOB]);

    settle(await begin(first, [0, 1, 2, 3]), SUCCEEDED);
    await registry.clock.advance(0);

    expect(await starts('report')).toEqual([1_000]);
    expect(await starts('summary')).toEqual([]);
    expect(parseStartLedger((await operator.read('/summary/after'))!.data)!.pending).toEqual(new Map([[1_000, [JOB]]]));
  });

  it('cause a start once the failover of an aborted item has succeeded', async () => {
    await addChild('report', [JOB]);
    settle(await begin(first, [1, 2, 3]), SUCCEEDED);
    settle(await begin(first, [0]), { kind: 'aborted', reason: new DrainDeadlineError(JOB, 1_000) });
    await registry.clock.advance(0);
    await second.tree.sync();

    const claim = await second.queue.claim(JOB);
    expect(await starts('report')).toEqual([]);
    expect(claim).toMatchObject({ kind: 'claimed', lease: { items: [0] } });
    if (claim.kind === 'claimed') settle(claim.lease, SUCCEEDED);
    await registry.clock.advance(0);

    expect(await starts('report')).toEqual([1_000]);
  });

  it('drop the names of a hundred removed children at most, and the others with the next runs', async () => {
    await addChild('report', [JOB]);
    const names = Array.from({ length: 150 }, (_, index) => `/${JOB}/dependents/removed-${index}`);
    await Promise.all(names.map((path) => operator.create(path, '', 'PERSISTENT')));
    const left: number[] = [];

    for (const fireTime of [1_000, 2_000]) {
      settle(await begin(first, [0, 1, 2, 3], fireTime), SUCCEEDED);
      await registry.clock.advance(0);
      left.push((await operator.children(`/${JOB}/dependents`)).length);
    }

    expect(left).toEqual([51, 1]);
    expect(await starts('report')).toEqual([1_000, 2_000]);
  });

  it('tell of an unmet run only for jobs that start after this one, whatever other names stand there', async () => {
    await addChild('report', [JOB]);
    await addChild('stranger', ['import']);
    await operator.create(`/${JOB}/dependents/made-up`, '', 'PERSISTENT');
    const unmet: UnmetDependency[] = [];
    const notes = new RunNotes(first.tree, registry.clock, undefined, (one) => unmet.push(one));
    await first.tree.sync();

    await failRun(notes, 1_000);

    expect(unmet).toEqual([{ jobName: 'report', parent: JOB, fireTime: 1_000, reason: 'failed' }]);
    expect((await operator.children(`/${JOB}/dependents`)).toSorted()).toEqual(['report', 'stranger']);
  });

  it('tell of an unmet run for a hundred jobs at most', async () => {
    for (let child = 0; child < 150; child += 1) await addChild(`report-${child}`, [JOB]);
    const unmet: UnmetDependency[] = [];
    const notes = new RunNotes(first.tree, registry.clock, undefined, (one) => unmet.push(one));
    await first.tree.sync();

    await failRun(notes, 1_000);

    expect(unmet).toHaveLength(100);
  });

  it('tell of each unmet run, however many there are', async () => {
    const children = ['report', 'export'];
    const fireTimes = Array.from({ length: 80 }, (_, run) => 1_000 + run);
    for (const child of children) await addChild(child, [JOB]);
    const unmet: UnmetDependency[] = [];
    const notes = new RunNotes(first.tree, registry.clock, undefined, (one) => unmet.push(one));
    await first.tree.sync();

    await failRun(notes, ...fireTimes);

    expect(new Set(unmet.map(({ jobName, fireTime }) => `${jobName} ${fireTime}`))).toEqual(
      new Set(children.flatMap((child) => fireTimes.map((fireTime) => `${child} ${fireTime}`))),
    );
  });

  it.each([
    ['/report/after', () => '{"v":2}'],
    [`/${JOB}/dependents`, () => formatParentProgress({ closedUpTo: registry.clock.wallNow(), runs: new Map() })],
  ])('succeed despite damage to %s, and renew only a damaged count', async (path, textOf) => {
    await addChild('report', [JOB]);
    await operator.set(path, '{"v":2}');

    const lease = await begin(first, [0, 1, 2, 3]);
    settle(lease, SUCCEEDED);
    await registry.clock.advance(0);

    expect([...(await lease.settled()).values()]).toEqual(Array(4).fill(SUCCEEDED));
    expect((await operator.read(path))!.data).toBe(textOf());
  });

  it('need one request for a start if this instance has written the start before', async () => {
    await addChild('report', [JOB]);
    settle(await begin(first, [0, 1, 2, 3]), SUCCEEDED);
    await registry.clock.advance(0);
    const lease = await begin(first, [0, 1, 2, 3], 2_000);
    const before = first.center.traffic.foreground;

    settle(lease, SUCCEEDED);
    await registry.clock.advance(0);
    await lease.settled();

    expect(first.center.traffic.foreground - before).toBe(1);
    expect(await starts('report')).toEqual([1_000, 2_000]);
  });

  it('write the start together with the records, even if the session ends at the commit', async () => {
    await addChild('report', [JOB]);
    const lease = await begin(first, [0, 1, 2, 3]);
    afterNextTransaction(first, async () => first.die());

    settle(lease, SUCCEEDED);
    await registry.clock.advance(0);

    expect(await starts('report')).toEqual([1_000]);
    const [settled] = await operator.readMany([`/${JOB}/sharding/0/record`]);
    expect(settled!.data).toContain('"outcome":"succeeded"');
  });
});

async function addChild(name: string, parents: readonly string[]): Promise<void> {
  await operator.ensurePath(`/${name}`);
  await operator.create(`/${name}/after`, formatStartLedger(withParents(NO_STARTS, parents)), 'PERSISTENT');
  if ((await operator.exists(`/${JOB}/dependents`)) === undefined) {
    await operator.create(`/${JOB}/dependents`, formatParentProgress({ closedUpTo: 0, runs: new Map() }), 'PERSISTENT');
  }
  await operator.create(`/${JOB}/dependents/${name}`, '', 'PERSISTENT');
}

/** Counts an item that fails, in a transaction of its own. */
async function failRun(notes: RunNotes, ...fireTimes: number[]): Promise<void> {
  const settles = await notes.of(
    fireTimes.map((fireTime) => ({ fireTime, item: 0, expected: 15n, isSucceeded: false })),
  );
  const result = await first.tree.commit(settles.operations);
  if (result.kind === 'committed') settles.onCommitted(result.results);
}

async function starts(name: string): Promise<readonly number[]> {
  const ledger = parseStartLedger((await operator.read(`/${name}/after`))!.data)!;
  return ledger.starts.map(({ fireTime }) => fireTime);
}

async function begin(member: Member, items: readonly number[], fireTime = 1_000) {
  const { lease } = await member.begin(items, { fireTime });
  return lease!;
}

function settle(lease: Awaited<ReturnType<typeof begin>>, outcome: Parameters<typeof lease.settle>[1]): void {
  for (const item of lease.items) lease.settle(item, outcome);
}
