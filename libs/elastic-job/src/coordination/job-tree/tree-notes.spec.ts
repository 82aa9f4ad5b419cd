import { type Member, Registry, SUCCEEDED } from '@test/support/unit/member.js';
import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';

let registry: Registry;
let worker: Member;
let witness: Member;
let operator: RegistryCenter;
beforeEach(async () => {
  registry = new Registry();
  const members = await registry.sharded(2);
  [worker, witness] = [members[0], members[1]!];
  operator = await registry.operator();
});

describe('which run of an item began last', () => {
  it('is the recorded one for each instance that has seen it, while it runs and after it', async () => {
    const { lease } = await worker.begin([0]);
    expect(await lastRuns()).toEqual(['recorded', 'recorded']);

    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(0);

    expect(await lastRuns()).toEqual(['recorded', 'recorded']);
  });

  it('is one without a record after a run of Java', async () => {
    const { lease } = await worker.begin([0]);
    lease!.settle(0, SUCCEEDED);
    await registry.clock.advance(500);

    await runByJava();
    await registry.clock.advance(500);

    expect(await lastRuns()).toEqual(['unrecorded', 'unrecorded']);
    expect(witness.tree.lastRuns.unrecordedAt(0)).toBe(registry.clock.wallNow() - 500);
  });

  it('is the recorded one again once a run of ours has begun after one of Java', async () => {
    await runByJava();

    await worker.begin([0], { fireTime: registry.clock.wallNow() + 1_000 });

    expect(await lastRuns()).toEqual(['recorded', 'recorded']);
    expect(witness.tree.lastRuns.unrecordedAt(0)).toBeUndefined();
  });

  it('is unknown to an instance that joined later or was away', async () => {
    await worker.begin([0]);
    const late = await registry.joined();
    expect(late.tree.lastRuns.of(0)).toBe('unknown');

    registry.memory.loseNextReply(witness.sessionId);
    await witness.center.set(witness.tree.paths.config, '').catch(() => {});
    await registry.clock.advance(1_000);

    expect(witness.tree.lastRuns.of(0)).toBe('unknown');
  });
});

async function runByJava(): Promise<void> {
  const path = worker.tree.paths.mark(0, 'running');
  await operator.create(path, '10.0.0.9@-@4711', 'EPHEMERAL');
  await operator.delete(path);
}

async function lastRuns(): Promise<string[]> {
  await Promise.all([worker.tree.sync(), witness.tree.sync()]);
  return [worker.tree.lastRuns.of(0), witness.tree.lastRuns.of(0)];
}
