import { beforeEach, expect, it } from 'vitest';
import type { JobTree, ServerStatus } from '../../coordination/index.js';
import { triggerAt } from '@test/support/unit/member.js';
import { VirtualClock } from '../../testing/index.js';
import { JobEvents, type JobEvent } from '../../tracing/index.js';
import type { JobSettings } from '../settings/job-settings.js';
import { TriggerGate } from './trigger-gate.js';

const JAVA = '10.0.0.9@-@4711';
const TRIGGER = triggerAt(1_000);

let clock: VirtualClock;
let serverStatus: ServerStatus | undefined;
/** Settings in force. */
let settings: { problem: unknown; unshareable: string[]; resident: boolean };
/** Milliseconds by which this host's clock is ahead of the registry's. */
let aheadMs: number;
let told: JobEvent[];
let gate: TriggerGate;
beforeEach(() => {
  clock = new VirtualClock();
  [told, serverStatus, aheadMs] = [[], 'ENABLED', 0];
  settings = { problem: undefined, unshareable: [], resident: false };
  const registryNow = () => clock.wallNow() - aheadMs;
  const registry = {
    time: () => ({ earliest: registryNow(), latest: registryNow() }),
    serverTime: () => Promise.resolve(registryNow()),
  };
  const tree: JobTree = Object.assign(Object.create(null), {
    jobName: TRIGGER.jobName,
    self: { serverIp: '10.0.0.1' },
    clock,
    registry,
    peers: () => [JAVA],
    serverStatus: () => serverStatus,
  });
  const jobSettings: JobSettings = Object.create(null, {
    problem: { get: () => settings.problem },
    unshareable: { value: () => settings.unshareable },
    configuration: { get: () => ({ resident: settings.resident, maxTimeDiffSeconds: 5 }) },
  });
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  gate = new TriggerGate(tree, jobSettings, events);
});

it('lets a trigger run, without an event, if nothing is in the way', async () => {
  expect([gate.mayBegin, gate.mayBeginUnasked, gate.timeCheck.problem]).toEqual([true, true, undefined]);
  expect([await gate.refuses(TRIGGER), gate.refusesServer(TRIGGER), gate.refusesResident(TRIGGER)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(told).toEqual([]);
});

it('allows no begin while the instance leaves', () => {
  gate.close();
  expect([gate.mayBegin, gate.mayBeginUnasked]).toEqual([false, false]);
});

it('skips a trigger if the settings cannot be used', async () => {
  settings.problem = new Error('damaged');
  expect([gate.mayBegin, gate.mayBeginUnasked, await gate.refuses(TRIGGER)]).toEqual([false, false, true]);
  expect(reasons()).toEqual(['the configuration in the registry cannot be used']);
});

it('skips a trigger if Java does not know the settings, and names them', async () => {
  settings.unshareable = ['misfirePolicy all', 'resident'];
  expect([gate.mayBegin, gate.mayBeginUnasked, await gate.refuses(TRIGGER)]).toEqual([true, false, true]);
  expect(reasons()).toEqual([`peers ${JAVA} do not support: misfirePolicy all; resident`]);
});

it('skips a trigger if the clock is too wrong, and excludes it from the catch-up', async () => {
  aheadMs = 6_000;
  expect(await gate.refuses(TRIGGER)).toBe(true);
  expect(gate.timeCheck.problem).toMatchObject({ code: 'TIME_DIFFERENCE' });
  expect(gate.timeCheck.skippedUntil).toBe(TRIGGER.fireTime);
});

it.each(['DISABLED', undefined] as const)('skips a trigger if the status of the server is %s', (status) => {
  serverStatus = status;
  expect(gate.refusesServer(TRIGGER)).toBe(true);
  expect(reasons()).toEqual(['server 10.0.0.1 is disabled']);
});

it('skips a trigger of an operator if the job is resident, since its items run anyway', () => {
  settings.resident = true;
  expect(gate.refusesResident(TRIGGER)).toBe(true);
  expect(reasons()).toEqual(['the job is resident: its items run at all times']);
});

/** Reasons of the skipped triggers. */
function reasons(): readonly string[] {
  return told.flatMap((event) => (event.kind === 'skipped' && event.trigger === TRIGGER ? [event.reason] : []));
}
