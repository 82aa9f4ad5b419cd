import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import { beforeNextTransaction, type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { releaseStrayMarks } from './stray-marks.js';

const HOLDER = '10.0.0.9@-@4711';

let registry: Registry;
let member: Member;
let operator: RegistryCenter;
beforeEach(async () => void ({ registry, member, operator } = await Registry.ofOne()));

describe('marks of this instance on items that it does not run', () => {
  it('go, and an open run of it is recorded as aborted, since nobody runs it any more', async () => {
    const { lease } = await member.begin([0]);

    expect(await release([0])).toEqual({
      released: [{ item: 0, marks: ['running'], run: lease!.run }],
      isSweepNeeded: false,
    });

    expect(await member.holder(0)).toBeUndefined();
    expect(await recordOf(0)).toMatchObject({ settled: { outcome: 'aborted', cause: 'released' } });
  });

  it('go without a word in the record if its run had ended, or was none of this instance', async () => {
    const { lease } = await member.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);
    await mark(0, 'running', member.id);
    await mark(1, 'failovering', member.id);
    const before = await recordOf(0);

    expect(await release([0, 1])).toEqual({
      released: [
        { item: 0, marks: ['running'], run: undefined },
        { item: 1, marks: ['failovering'], run: undefined },
      ],
      isSweepNeeded: false,
    });
    expect(await recordOf(0)).toEqual(before);
  });

  it('stay where it runs the item, where another instance holds it, and where nobody asked', async () => {
    await member.begin([0, 2]);
    await mark(1, 'running', 'another');

    const { released } = await release([0, 1], (item) => item === 0);

    expect(released).toEqual([]);
    expect(await Promise.all([0, 1, 2].map((item) => member.holder(item)))).toEqual([member.id, 'another', member.id]);
  });

  it.each<[string, boolean, () => Promise<unknown>]>([
    ['nobody that is registered', true, () => Promise.resolve()],
    ['a Java peer', false, () => operator.create(member.tree.paths.instance(HOLDER), '', 'EPHEMERAL')],
    [
      'an instance that was shut down',
      false,
      () => operator.create(member.tree.paths.session(HOLDER), '', 'EPHEMERAL'),
    ],
  ])('are told from those of %s, for whom a sweep is needed: %s', async (_holder, isSweepNeeded, arrive) => {
    await arrive();
    await mark(1, 'running', HOLDER);

    expect(await release([0, 1])).toEqual({ released: [], isSweepNeeded });
  });

  it('stay if the item is begun meanwhile', async () => {
    const { lease } = await member.begin([0]);
    const own = new Set<number>();
    beforeNextTransaction(member, async () => {
      lease!.settle(0, SUCCEEDED);
      await registry.clock.advance(0);
      await member.begin([0], { fireTime: 2_000 });
      own.add(0);
    });

    expect(await release([0], (item) => own.has(item))).toEqual({ released: [], isSweepNeeded: false });

    expect(await member.holder(0)).toBe(member.id);
    expect(await recordOf(0)).toMatchObject({ target: { fireTime: 2_000 } });
  });
});

async function release(items: readonly number[], isRun: (item: number) => boolean = () => false) {
  const released: unknown[] = [];
  const isSweepNeeded = await releaseStrayMarks(member.tree, registry.clock, items, isRun, (one) => released.push(one));
  return { released, isSweepNeeded };
}

async function mark(item: number, name: 'running' | 'failovering', holder: string): Promise<void> {
  await operator.create(member.tree.paths.mark(item, name), holder, 'PERSISTENT');
  await member.tree.sync();
}

async function recordOf(item: number): Promise<unknown> {
  return JSON.parse((await operator.read(member.tree.paths.record(item)))!.data);
}
