import { expect, it } from 'vitest';
import { CancelledError, DrainDeadlineError, HandlerHungError, JobTimeoutError } from './lease.errors.js';
import { isOwedElsewhere } from './requeue.decision.js';
import type { ShardOutcome } from './shard-outcome.js';

const cancelled = new CancelledError('j', 0);
const drained = new DrainDeadlineError('j', 1);
const hung = (cause: unknown) => new HandlerHungError('j', 0, 1, { cause });

it.each<[string, ShardOutcome, boolean, boolean]>([
  ['succeeded', { kind: 'succeeded' }, false, false],
  ['failed', { kind: 'failed', error: new JobTimeoutError('j', 0, 1) }, false, false],
  ['been aborted as its instance left', { kind: 'aborted', reason: drained }, true, true],
  ['been cancelled', { kind: 'aborted', reason: cancelled }, false, false],
  ['hung', { kind: 'aborted', reason: hung(drained) }, true, false],
  ['hung although it was cancelled', { kind: 'aborted', reason: hung(cancelled) }, false, false],
])(
  'given a run that has %s, when it is judged, then others owe it accordingly',
  (_how, outcome, isOwed, isOwedAgain) => {
    expect(isOwedElsewhere(outcome, 'NORMAL_TRIGGER')).toBe(isOwed);
    expect(isOwedElsewhere(outcome, 'FAILOVER')).toBe(isOwedAgain);
  },
);
