import { expect, it } from 'vitest';
import { JOB, Registry } from '@test/support/unit/member.js';
import { repeat } from '../../repeat/index.js';
import { ContentionError, untilDone } from './tree-policies.js';

it('repeats work whose write is refused after a pause, and reports the refusal only once', async () => {
  const registry = new Registry();
  const { tree } = await registry.member();
  const told: unknown[] = [];
  let attempts = 0;
  const work = async () => {
    attempts += 1;
    if (attempts <= 3) throw new ContentionError(JOB, 'the begin');
    return 'done';
  };

  const done = repeat(
    untilDone(tree, (error) => told.push(error)),
    work,
  );
  await registry.clock.advance(5_000);

  expect(await done).toBe('done');
  expect(told).toEqual([expect.any(ContentionError)]);
});
