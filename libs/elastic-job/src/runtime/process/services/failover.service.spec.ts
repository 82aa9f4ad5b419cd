import { afterEach, expect, it } from 'vitest';
import type { ExecutionLease, FailoverQueue } from '../../../coordination/index.js';
import type { SettledOutcome } from '../../../domain/index.js';
import type { JobSession } from '../../job/job-session.js';
import { JOB, MINUTE, OneProcess } from '@test/support/unit/one-process.js';
import { FailoverService } from './failover.service.js';

const SUCCEEDED: SettledOutcome = { kind: 'succeeded' };

let process: OneProcess | undefined;
afterEach(() => process?.stop());

it('runs waiting items to their outcome without a free slot if it is asked to claim', async () => {
  process = await OneProcess.start({ concurrency: 1 });
  await process.advance(MINUTE);
  process.work = (context) => context.shardingItem === 1 && process!.hang(context);
  await process.advance(MINUTE);
  await process.queueUnfinished(0);
  process.runs.length = 0;
  await process.advance(100); // Longer than the delay before it claims some by itself.
  const claiming = process.runtime.failover.claim(JOB);
  await process.release();
  const outcomes = await claiming;
  expect([process.runs, [...outcomes]]).toEqual([['0 FAILOVER'], [[0, expect.objectContaining(SUCCEEDED)]]]);
});

it('returns the outcomes of all claims that it has won, even if others win one in between', async () => {
  const claims = [leaseOf(1), 'lost', leaseOf(2), 'empty'] as const;
  const answers = [...claims];
  const session: JobSession = Object.assign(Object.create(null), { claim: () => Promise.resolve(answers.shift()) });
  const queue: FailoverQueue = Object.create(null);
  const outcomes = await new FailoverService(queue, () => session).claim(JOB);
  expect([[...outcomes.keys()], answers]).toEqual([[1, 2], []]);
});

/** A lease whose item has succeeded. */
function leaseOf(item: number): ExecutionLease {
  return Object.assign(Object.create(null), { settled: () => Promise.resolve(new Map([[item, SUCCEEDED]])) });
}
