import { beforeEach, expect, it } from 'vitest';
import { JOB, Registry, triggerAt } from '@test/support/unit/member.js';
import { TimeDifferenceError, type TriggerOrigin } from '../../domain/index.js';
import { JobEvents, type JobEvent } from '../../tracing/index.js';
import { TimeCheck } from './trigger-gate.js';

const SECOND = 1_000;

/** Milliseconds by which this host's clock is known to be ahead of the registry's; undefined if unknown. */
let known: number | undefined;
/** The true value, which the registry tells when asked. */
let actual: number;
let requests: number;
let told: JobEvent[];
let check: TimeCheck;
beforeEach(async () => {
  const { member, registry } = await Registry.ofOne();
  const { center, tree } = member;
  known = undefined;
  actual = 0;
  requests = 0;
  told = [];
  const registryNow = (ms: number) => registry.clock.wallNow() - ms;
  center.time = () => (known === undefined ? undefined : { earliest: registryNow(known), latest: registryNow(known) });
  center.serverTime = () => {
    requests += 1;
    known = actual;
    return Promise.resolve(registryNow(actual));
  };
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  check = new TimeCheck(tree, events);
});

it.each([5 * SECOND, -5 * SECOND])(
  'runs a trigger at an allowed difference of %i ms, without a request',
  async (differenceMs) => {
    known = differenceMs;

    expect(await check.refuses(triggerAt(1_000), 5)).toBe(false);

    expect([requests, told, check.problem, check.skippedUntil]).toEqual([0, [], undefined, 0]);
  },
);

it.each([5 * SECOND + 1, -5 * SECOND - 1])(
  'skips a trigger at a difference of %i ms, beyond the allowed 5 s, and reports it',
  async (differenceMs) => {
    known = actual = differenceMs;
    const trigger = triggerAt(1_000);

    expect(await check.refuses(trigger, 5)).toBe(true);

    expect(requests).toBe(1);
    const problem = new TimeDifferenceError(JOB, differenceMs, 5);
    expect(check.problem).toEqual(problem);
    expect(told).toEqual([
      { kind: 'skipped', trigger, reason: problem.message },
      { kind: 'error', jobName: JOB, message: expect.any(String), error: problem },
    ]);
  },
);

it('asks a registry of unknown time before it lets a trigger run', async () => {
  expect(await check.refuses(triggerAt(1_000), 5)).toBe(false);
  expect(requests).toBe(1);
});

it.each([-1, -5])('runs a trigger with a limit of %i, whatever the clock shows', async (limit) => {
  known = actual = 3_600 * SECOND;

  expect(await check.refuses(triggerAt(1_000), limit)).toBe(false);

  expect([requests, check.problem]).toEqual([0, undefined]);
});

it('skips a trigger with a limit of 0 if the clock is ahead by 1 ms', async () => {
  known = actual = 1;

  expect(await check.refuses(triggerAt(1_000), 0)).toBe(true);
});

it.each<[TriggerOrigin, number]>([
  ['schedule', 3_000],
  ['manual:a', 0],
])('excludes refused triggers of %s from the catch-up, up to %i', async (origin, until) => {
  known = actual = 6 * SECOND;
  for (const fireTime of [2_000, 3_000, 1_000]) await check.refuses(triggerAt(fireTime, { origin }), 5);

  expect(check.skippedUntil).toBe(until);
});
