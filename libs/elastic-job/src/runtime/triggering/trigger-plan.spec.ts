import { JOB, triggerAt } from '@test/support/unit/member.js';
import { beforeEach, expect, it } from 'vitest';
import type { JobTree, Sharding } from '../../coordination/index.js';
import { type JobEvent, JobEvents } from '../../tracing/index.js';
import { TriggerPlan } from './trigger-plan.js';

const SELF = '10.0.0.1@-@1';
const FIRE_TIME = 60_000;

let mustWait: boolean;
/** Waits for the plan. */
let waiting: () => Promise<boolean>;
let told: JobEvent[];
/** Steps of the plan, in their order. */
let steps: string[];
let plan: TriggerPlan;
beforeEach(() => {
  [mustWait, waiting, told, steps] = [true, () => Promise.resolve(true), [], []];
  const tree: JobTree = Object.assign(Object.create(null), {
    jobName: JOB,
    self: { jobInstanceId: SELF },
    sync: async () => void steps.push('sync'),
  });
  const sharding: Sharding = Object.assign(Object.create(null), {
    mustWait: () => mustWait,
    waitForPlan: () => waiting(),
    ownItems: () => [0, 2],
  });
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  plan = new TriggerPlan(tree, sharding, events, {
    triggerWaits: () => void steps.push('waits'),
    triggerGoesOn: () => void steps.push('goes on'),
  });
});

it('gives the items as of a sync, and tells the leader while it waits for a plan', async () => {
  expect(await plan.assign(triggerAt(FIRE_TIME))).toEqual([0, 2]);
  expect([steps, told]).toEqual([['sync', 'waits', 'goes on'], []]);
});

it('does not wait if no plan is being made', async () => {
  mustWait = false;
  expect(await plan.assign(triggerAt(FIRE_TIME))).toEqual([0, 2]);
  expect(steps).toEqual(['sync']);
});

it('tells if no plan came in time, and goes on with the last one', async () => {
  waiting = () => Promise.resolve(false);
  expect(await plan.assign(triggerAt(FIRE_TIME))).toEqual([0, 2]);
  expect(told).toEqual([{ kind: 'sharding-timeout', jobName: JOB, fireTime: FIRE_TIME }]);
});

it('holds the leader up no longer if its wait fails', async () => {
  waiting = () => Promise.reject(new Error('over'));
  await expect(plan.assign(triggerAt(FIRE_TIME))).rejects.toThrow('over');
  expect(steps).toEqual(['sync', 'waits', 'goes on']);
});

it('tells a trigger as taken, with its items and the id of its task', () => {
  const trigger = triggerAt(FIRE_TIME);
  plan.reportTaken(trigger, [0, 2]);
  const taskId = expect.stringContaining(`${JOB}@-@0,2@-@`);
  expect(told).toEqual([{ kind: 'triggered', trigger, taskId, items: [0, 2] }]);
});
