import { describe, expect, it } from 'vitest';
import { NoAuthError, type SessionInfo, SessionLostError } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import type { JobEvent } from '../../tracing/index.js';
import { WorkErrors } from './own-work.js';

const MINUTE = 60_000;
const LOST = new SessionLostError('1');

function setUp(state: SessionInfo['state'] = 'SUSPENDED') {
  const clock = new VirtualClock();
  const told: JobEvent[] = [];
  const registry = { session: { state } };
  const errors = new WorkErrors(clock, { emit: (event) => void told.push(event) }, registry);
  const counts = () => told.map((event) => (event.kind === 'unanswered' ? [...event.counts] : event.kind));
  return { clock, errors, registry, counts };
}

describe('WorkErrors', () => {
  it('counts work without an answer by job, and tells it each minute', async () => {
    const { clock, errors, counts } = setUp();
    for (const job of ['a', 'b', 'a', undefined]) errors.report(job, 'firing failed', LOST);
    expect(counts()).toEqual([]);

    await clock.advance(MINUTE);
    expect(counts()).toEqual([
      [
        ['a', 2],
        ['b', 1],
        ['', 1],
      ],
    ]);
  });

  it('tells what is counted when the registry is back', () => {
    const { errors, registry, counts } = setUp();
    errors.report('a', 'firing failed', LOST);
    registry.session.state = 'RECONNECTED';

    errors.sessionChanged();
    expect(counts()).toEqual([[['a', 1]]]);
  });

  it('tells a refusal at once, and the same one of a job at most once a minute', async () => {
    const { clock, errors, counts } = setUp();
    const refuse = () => {
      for (const node of ['/a/1', '/a/2']) errors.report('a', 'firing failed', new NoAuthError(node));
      errors.report('b', 'firing failed', new NoAuthError('/a/1'));
    };
    for (let second = 0; second < 60; second += 1) {
      refuse();
      await clock.advance(1_000);
    }
    expect(counts()).toEqual(['error', 'error', 'error']);

    refuse();
    expect(counts()).toHaveLength(6);
    expect(clock.pendingTimers).toBe(0);
  });

  it('tells each other error at once', () => {
    const { errors, counts } = setUp();
    errors.report('a', 'firing failed', new TypeError('broken'));
    expect(counts()).toEqual(['error']);
  });

  it('tells work that fails after the end at once, and leaves no timer', () => {
    const { clock, errors, counts } = setUp();
    errors.report('a', 'firing failed', LOST);
    errors.end();
    errors.report('a', 'leaving failed', LOST);

    expect(counts()).toEqual([[['a', 1]], [['a', 1]]]);
    expect(clock.pendingTimers).toBe(0);
  });
});
