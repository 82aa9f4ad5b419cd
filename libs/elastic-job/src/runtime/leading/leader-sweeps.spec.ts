import { afterEach, describe, expect, it } from 'vitest';
import type { JobOptions } from '../../domain/index.js';
import { Duty, FORMER, NOBODY, SELF } from '@test/support/unit/duties.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NO_RIGHT = -102;

let duty: Duty;
afterEach(() => duty.end());

describe('a leader cleans up', () => {
  it('requests to cancel an item that does not run, or has ended', async () => {
    await lead();
    const { paths } = duty.tree;
    await duty.put(paths.cancel(1), 'run');
    expect(await duty.text(paths.cancel(1))).toBeUndefined();

    await duty.put(paths.mark(1, 'running'), SELF);
    await duty.put(paths.cancel(1), 'run');
    expect(await duty.text(paths.cancel(1))).toBe('run');
    await duty.drop(paths.mark(1, 'running'));
    expect(await duty.text(paths.cancel(1))).toBeUndefined();
  });

  it('the queue of a job without failover', async () => {
    await lead({ failover: false });
    expect(await sweepQueue()).toEqual([]);
  });

  it('a queued item beyond the total, and reports it once', async () => {
    await lead();
    expect(await sweepQueue()).toEqual(['1']);
    await sweep();
    expect(duty.told('failover-purged')).toMatchObject([{ items: [7] }]);
  });

  it('a node that holds up every trigger if no session owns it, and warns', async () => {
    await lead();
    const { reshardingProcessing: path } = duty.tree.paths;
    await duty.operator.create(path, '', 'EPHEMERAL');
    await duty.clock.advance(SECOND);
    expect(await duty.text(path)).toBe('');
    await duty.drop(path);
    await duty.put(path);
    expect(await duty.text(path)).toBeUndefined();
    expect(duty.warnings).toEqual([expect.stringContaining(`removed "${path}"`)]);
  });

  it('the run of a dead holder: queues its item, and reports it once', async () => {
    await lead();
    await orphan();
    await sweep();
    await sweep();
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
    expect(await duty.text(duty.tree.paths.queued(1))).toBe('');
  });

  it('all orphans once each may be swept; requests to cancel and the plan wait for it, the rest does not', async () => {
    await lead();
    const { paths } = duty.tree;
    const path = await orphan(1);
    const mend = duty.registry.memory.fail((request) => (request.path.endsWith(path) ? NO_RIGHT : undefined));
    await orphan(2);
    await duty.put(paths.cancel(2), 'run');
    await duty.put(paths.queued(7));
    await duty.join(FORMER);
    await sweep();
    await duty.clock.advance(SECOND);
    expect([duty.told('orphaned'), duty.told('resharded').length]).toEqual([[], 1]);
    expect([await duty.text(paths.cancel(2)), await duty.text(paths.queued(7))]).toEqual(['run', undefined]);
    expect(duty.takeErrors()).toMatchObject([{ message: expect.stringContaining(path) }]);

    mend();
    await duty.clock.advance(6 * SECOND);
    expect(duty.told('orphaned')).toMatchObject([{ items: [1, 2] }]);
    expect([await duty.text(paths.cancel(2)), duty.told('resharded').length]).toEqual([undefined, 2]);
  });

  it('what it can, and reports each refusal once, also that of a step after one that is refused', async () => {
    await lead();
    const { paths } = duty.tree;
    const refused = [await orphan(1), paths.queued(7)];
    await duty.put(paths.queued(7));
    const mend = duty.registry.memory.fail(({ path }) =>
      refused.some((one) => path.endsWith(one)) ? NO_RIGHT : undefined,
    );
    await sweep();
    await duty.clock.advance(20 * SECOND);

    const errors = duty.takeErrors();
    expect(errors).toHaveLength(2);
    for (const path of refused) expect(errors).toContainEqual(expect.objectContaining({ code: 'NO_AUTH', path }));
    mend();
    await duty.clock.advance(6 * SECOND);
    expect(await duty.text(paths.queued(7))).toBeUndefined();
    expect(duty.told('orphaned')).toMatchObject([{ items: [1] }]);
  });

  it('the marks of an instance that was shut down in mid-run after its grace', async () => {
    const mark = await shutDown();
    await duty.clock.advance(5 * SECOND - 1);
    expect(await duty.text(mark)).toBe(FORMER);
    await duty.clock.advance(1);
    expect(await duty.text(mark)).toBeUndefined();
  });

  it('the marks of an instance that was shut down in mid-run as soon as its session ends', async () => {
    const mark = await shutDown();
    await duty.clock.advance(SECOND);
    expect(await duty.text(mark)).toBe(FORMER);
    await duty.drop(duty.tree.paths.session(FORMER));
    expect(await duty.text(mark)).toBeUndefined();
    await duty.clock.advance(SECOND);
    expect(duty.told('resharded')).toHaveLength(2);
  });

  it('an orphan that no event reported at the next reconciliation', async () => {
    await lead({ reconcileIntervalMinutes: 2 });
    const mark = await orphan();
    await duty.clock.advance(MINUTE);
    expect(await duty.text(mark)).toBe(NOBODY);
    await duty.clock.advance(MINUTE);
    expect(await duty.text(mark)).toBeUndefined();
    duty.duties.stop();
    expect(duty.clock.pendingTimers).toBe(0);
  });

  it('by a shorter reconcile interval as soon as it is written', async () => {
    await lead({ reconcileIntervalMinutes: 60 });
    await duty.edit('reconcileIntervalMinutes: 60', 'reconcileIntervalMinutes: 2');
    await duty.clock.advance(MINUTE);
    const mark = await orphan();
    await duty.clock.advance(MINUTE);
    expect(await duty.text(mark)).toBeUndefined();
  });
});

async function lead(options?: Partial<JobOptions>, beside?: string): Promise<void> {
  duty = await Duty.of(options);
  if (beside !== undefined) await duty.join(beside);
  await duty.start();
}

/** Lets an operator shut down an instance during a run. @returns the path of its mark */
async function shutDown(): Promise<string> {
  await lead({ shutdownGraceMs: 5 * SECOND }, FORMER);
  return shutDownFormer();
}

async function shutDownFormer(): Promise<string> {
  const mark = duty.tree.paths.mark(0, 'running');
  await duty.putUnfinished(0, FORMER);
  await duty.put(mark, FORMER);
  await duty.remove(FORMER);
  return mark;
}

/** The holder of an item has died, and no event reports it. @returns the path of its mark */
async function orphan(item = 1): Promise<string> {
  const mark = duty.tree.paths.mark(item, 'running');
  await duty.putUnfinished(item, NOBODY);
  await duty.put(mark, NOBODY);
  return mark;
}

async function sweep(): Promise<void> {
  duty.duties.sweepNeeded();
  await duty.clock.advance(0);
}

/** Sweeps a queue that holds an item of the job and one beyond its total. @returns the remaining items */
async function sweepQueue(): Promise<readonly string[]> {
  const { paths } = duty.tree;
  for (const item of [1, 7]) await duty.put(paths.queued(item));
  await sweep();
  return duty.operator.children(paths.queue);
}
