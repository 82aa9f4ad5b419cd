import { beforeEach, describe, expect, it } from 'vitest';
import { formatRerun, type RefusalCause, type Trigger } from '../../domain/index.js';
import { creation } from '../../registry/index.js';
import { type Member, Registry } from '@test/support/unit/member.js';
import { Reruns } from './reruns.js';

let registry: Registry;
let member: Member;
let reruns: Reruns;
/** Begins that were asked for: items and fire time. */
let begun: string[];
/** Work that goes first: items that owe, items that operators' triggers await, and a tick that is under way. */
let first: { owing: number[]; awaited: number[]; tick: (() => void)[] | undefined };
let catchUps: number;
const settings = { configuration: { monitorExecution: true, resident: false } };
const gate = { mayBeginUnasked: true };

beforeEach(async () => {
  registry = new Registry();
  [member] = await registry.sharded(1);
  begun = [];
  catchUps = 0;
  first = { owing: [], awaited: [], tick: undefined };
  settings.configuration = { monitorExecution: true, resident: false };
  gate.mayBeginUnasked = true;
  const parts = Object.assign(Object.create(null), {
    settings,
    gate,
    leases: {
      running: { has: () => false },
      beginAndRun: ({ fireTime }: Trigger, items: readonly number[]) => {
        begun.push(`${items.join()} for ${fireTime}`);
        return Promise.resolve(new Map<number, RefusalCause>());
      },
    },
    owed: { now: () => Promise.resolve(9_000), payable: () => first.owing },
    catchUp: {
      wake: () => void (catchUps += 1),
      isHandling: (onIdle: () => void) => first.tick !== undefined && first.tick.push(onIdle) > 0,
    },
    manual: {
      get awaited() {
        return new Set(first.awaited);
      },
    },
  });
  const { catchUp, leases, manual, owed } = parts;
  const fail = () => (error: unknown) => expect(error).toBeUndefined();
  reruns = new Reruns(member.tree, member.sharding, parts.settings, parts.gate, leases, owed, catchUp, manual, fail);
});

describe('a re-run', () => {
  it('begins free items together that run the same fire time next', async () => {
    await ask([0, 1, 2]);
    await registry.clock.advance(0);
    expect(begun).toEqual(['0,1,2 for 100']);
  });

  it('leaves items to the schedule that owe a fire time, and has them begun', async () => {
    first.owing = [1];
    await ask([0, 1]);
    expect([begun, catchUps]).toEqual([['0 for 100'], 1]);
  });

  it('leaves items to an operator whose trigger awaits them', async () => {
    first.awaited = [0];
    await ask([0, 1]);
    expect(begun).toEqual(['1 for 100']);
  });

  it('begins nothing while a fire time is being begun, and goes on after it', async () => {
    const waiting: (() => void)[] = [];
    first.tick = waiting;
    await ask([0, 1]);
    expect(begun).toEqual([]);

    first.tick = undefined;
    waiting[0]!();
    await reruns.rested();
    expect(begun).toEqual(['0,1 for 100']);
  });

  it.each<[string, () => void]>([
    ['nothing may begin unasked', () => (gate.mayBeginUnasked = false)],
    ['its items run at all times', () => (settings.configuration.resident = true)],
    ['no end of a run is recorded', () => (settings.configuration.monitorExecution = false)],
  ])('begins nothing of a job where %s', async (_, change) => {
    change();
    await ask([0, 1]);
    expect(begun).toEqual([]);
  });

  it('begins nothing while a plan is to come, which may give the items to others', async () => {
    await member.center.create(member.tree.paths.reshardingFlag, '', 'PERSISTENT');
    await ask([0, 1]);
    expect(begun).toEqual([]);
  });

  it('looks again after a while, without any news', async () => {
    first.awaited = [0];
    await ask([0]);
    first.awaited = [];

    await registry.clock.advance(5_000);

    expect(begun).toEqual(['0 for 100']);
  });

  it('makes no request in a job without any', async () => {
    const { foreground } = member.center.traffic;
    reruns.workExpected();
    reruns.itemEnded();
    await reruns.rested();
    expect(member.center.traffic.foreground).toBe(foreground);
  });
});

/** Asks for a re-run, and waits until it was looked at. */
async function ask(items: readonly number[]): Promise<void> {
  const { paths } = member.tree;
  const rerun = formatRerun({ at: 1, items, fireTimes: [100, 200] });
  await member.center.transaction([creation(paths.reruns), creation(paths.rerun('r'), rerun)]);
  reruns.rerunChanged();
  await reruns.rested();
}
