import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messageOf } from '../../libs/elastic-job/src/domain/index.js';
import { JobConfigurationApi } from '../../libs/elastic-job/src/operations/index.js';
import { createTestCluster, MemoryTaskCluster, type TestCluster } from '../../libs/elastic-job/src/testing/index.js';
import { addJobOfTasks, fire, JOB, schedulingOn } from './support/task-schedulers.js';

let cluster: TestCluster;
let tasks: MemoryTaskCluster;
beforeEach(async () => {
  cluster = await createTestCluster({ instances: 1, jobs: [] });
  tasks = new MemoryTaskCluster({ clock: cluster.clock });
  const stage = { cluster, tasks };
  await addJobOfTasks(stage, 0, await schedulingOn(stage, 0), { shardingTotalCount: 1, misfire: false });
  await cluster.advance(5_000);
});
afterEach(() => cluster.stop());

/** Lets the next task save these values. @returns the answer to each: `saved`, or the message */
async function saveAll(...values: readonly unknown[]): Promise<readonly string[]> {
  const answers: string[] = [];
  tasks.script(JOB, async ({ saveCheckpoint }) => {
    for (const value of values) {
      answers.push(
        await saveCheckpoint(value).then(
          () => 'saved',
          (error: Error) => error.message,
        ),
      );
    }
  });
  await fire({ cluster });
  return answers;
}

/** The checkpoint that the next task finds in its envelope. */
async function found(): Promise<unknown> {
  let text = '{}';
  tasks.script(JOB, async ({ envelope }) => {
    text = envelope;
  });
  await fire({ cluster });
  return JSON.parse(text).checkpoint;
}

describe('a checkpoint that a task saves', () => {
  it('is refused if the envelope of the next task could not carry it, and the former one stays', async () => {
    expect(await saveAll({ row: 7 }, 'x'.repeat(40_000), 'x'.repeat(27_000))).toEqual([
      'saved',
      expect.stringMatching(/has 40002 bytes, and the envelope of the item's next task has room for 2\d{4}; save a/),
      expect.stringMatching(/has 27002 bytes, and the envelope/),
    ]);

    expect(await found()).toEqual({ row: 7 });
    expect(outcomes()).toEqual(['succeeded', 'succeeded']);
  });

  it('is there in the next task if it is as large as it may be', async () => {
    const [answer] = await saveAll('x'.repeat(40_000));
    const room = Number(/room for (\d+)/.exec(answer!)![1]);
    const largest = 'x'.repeat(room - 2);
    expect(await saveAll(largest)).toEqual(['saved']);

    expect(await found()).toBe(largest);
    expect(outcomes()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('is in the way of parameters that grow, until an operator does what the error says', async () => {
    const { center } = cluster.instances[0]!;
    const setJobParameter = (length: number) =>
      cluster.clock.advanceUntil(
        new JobConfigurationApi(center).updateJobConfiguration(JOB, { jobParameter: 'x'.repeat(length) }),
      );
    await saveAll('x'.repeat(20_000));
    await setJobParameter(14_000);
    await found();
    expect(failures()).toEqual([
      expect.stringContaining(
        'shorten jobParameter, so that the item goes on from its checkpoint, or delete the node "sharding/0/check',
      ),
    ]);

    await setJobParameter(100);
    expect(await found()).toHaveLength(20_000);
    await setJobParameter(14_000);
    await cluster.clock.advanceUntil(center.delete(`/${JOB}/sharding/0/checkpoint`));
    expect(await found()).toBeUndefined();
    expect(outcomes()).toEqual(['succeeded', 'failed', 'succeeded', 'succeeded']);
  });

  it('is refused if it is too deep to be read everywhere', async () => {
    const deep: unknown = JSON.parse('['.repeat(21) + ']'.repeat(21));
    expect(await saveAll({ row: 7 }, deep)).toEqual(['saved', expect.stringContaining('it has more than 20 levels')]);

    expect(await found()).toEqual({ row: 7 });
  });

  it('is gone in the next task if it was cleared', async () => {
    expect(await saveAll({ row: 7 }, null)).toEqual(['saved', 'saved']);

    expect(await found()).toBeUndefined();
  });
});

function failures(): readonly string[] {
  const errors = cluster
    .events(0)
    .flatMap((event) => (event.kind === 'settled' && event.outcome.kind === 'failed' ? [event.outcome.error] : []));
  return errors.map((error) => messageOf(error));
}

function outcomes(): readonly string[] {
  return cluster.events(0).flatMap((event) => (event.kind === 'settled' ? [event.outcome.kind] : []));
}
