import { beforeEach, expect, it } from 'vitest';
import type { JobTree, ServerStatus } from '../../coordination/index.js';
import { JobEvents, type JobEvent } from '../../tracing/index.js';
import { VirtualClock } from '../../testing/index.js';
import { OperatorSwitches } from './operator-switches.js';
import type { ScheduleClock } from '../time/schedule-clock.js';

const SERVER = '10.0.0.1';

let clock: VirtualClock;
let disabled: Set<number>;
let server: { status: ServerStatus | undefined; mtime: number; version: number };
let told: JobEvent[];
/** Milliseconds by which this host's clock is ahead of the registry's. */
let offsetMs: number;
/** Milliseconds by which this host's clock is behind the time that instances share. */
let behindMs: number;
let switches: OperatorSwitches;
beforeEach(() => {
  clock = new VirtualClock();
  disabled = new Set();
  server = { status: 'ENABLED', mtime: 100, version: 0 };
  told = [];
  offsetMs = 0;
  behindMs = 0;
  start();
});

it('gives the span in which an item was disabled, once it is enabled again', async () => {
  await switchItem(1, true, 1_000);
  expect(switches.spansOf(1)).toEqual([]);
  await switchItem(2, true, 500);
  const until = await switchItem(1, false, 500);

  expect(switches.spansOf(1)).toEqual([span(until - 1_000, until)]);
  expect(switches.spansOf(2)).toEqual([]);
});

it('gives a span without a begin for an item that was disabled before the start', async () => {
  disabled.add(1);
  start();
  const until = await switchItem(1, false, 1_000);
  expect(switches.spansOf(1)).toEqual([span(0, until)]);
});

it('gives the span of a disabled server by the clock of this host and by the shared time', () => {
  offsetMs = -2_000;
  switchServer('DISABLED', 5_000);
  switchServer('ENABLED', 9_000);
  expect(switches.serverSpan).toEqual({ after: 3_000, until: 7_000, shared: { after: 5_000, until: 9_000 } });
});

it('gives the span of an item in the shared time too while the clock of this host is far behind', async () => {
  behindMs = 7_000_000;
  await switchItem(1, true, 1_000);
  const until = await switchItem(1, false, 500);
  expect(switches.spansOf(1)).toEqual([span(until - 500, until)]);
});

it('keeps the last ten spans of an item', async () => {
  const ends: number[] = [];
  for (let time = 0; time < 12; time++) {
    await switchItem(1, true, 1_000);
    ends.push(await switchItem(1, false, 1_000));
  }
  expect(switches.spansOf(1).map(({ until }) => until)).toEqual(ends.slice(2));
});

it('looks at items after a switch of an item and a reset of the tree, and after no other event', async () => {
  await switchItem(1, true, 1_000);
  disabled.clear();
  switches.serverChanged();
  expect(switches.spansOf(1)).toEqual([]);
  switches.treeReset();
  expect(switches.spansOf(1)).toHaveLength(1);
});

it('gives the span of a disabled server by the times of the registry', () => {
  expect(switches.serverSpan).toMatchObject({ after: 0, until: 0 });
  switchServer('DISABLED', 5_000);
  switchServer('ENABLED', 9_000);
  expect(switches.serverSpan).toMatchObject({ after: 5_000, until: 9_000 });
});

it('gives a span without a begin for a server that was disabled before the start', () => {
  server = { status: 'DISABLED', mtime: 5_000, version: 0 };
  start();
  expect(switches.serverSpan).toMatchObject({ after: 0, until: 0 });
  switchServer('ENABLED', 9_000);
  expect(switches.serverSpan).toMatchObject({ after: 0, until: 9_000 });
});

it('gives a span without a begin for a server that was disabled and enabled at one instant', () => {
  switchServer('DISABLED', 9_000);
  switchServer('ENABLED', 9_000);
  expect(switches.serverSpan).toMatchObject({ after: 0, until: 9_000 });
});

it('reports each change of the server once, and not its first state if that is enabled', () => {
  switches.readServerSwitch();
  expect(told).toEqual([]);
  switchServer('DISABLED', 5_000);
  switches.treeReset();
  switchServer('ENABLED', 9_000);
  expect(told).toEqual([
    { kind: 'server-switched', jobName: 'import', serverIp: SERVER, status: 'DISABLED' },
    { kind: 'server-switched', jobName: 'import', serverIp: SERVER, status: 'ENABLED' },
  ]);
});

it('reports a server that was disabled while the connection was away, once it is back', () => {
  server = { status: 'DISABLED', mtime: 5_000, version: 1 };
  switches.treeReset();
  expect(told).toMatchObject([{ kind: 'server-switched', status: 'DISABLED' }]);
});

function start(): void {
  const tree: JobTree = Object.assign(Object.create(null), {
    jobName: 'import',
    self: { serverIp: SERVER },
    items: () => [0, 1, 2],
    has: (path: string) => [...disabled].some((item) => path === `${item}/disabled`),
    paths: { mark: (item: number, mark: string) => `${item}/${mark}`, server: (ip: string) => ip },
    serverStatus: () => server.status,
    stat: () => server,
  });
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const scheduleClock: ScheduleClock = Object.assign(Object.create(null), {
    fromRegistry: (ms: number) => ({ own: ms + offsetMs, shared: ms }),
    wallNow: () => clock.wallNow(),
    sharedNow: () => clock.wallNow() + behindMs,
  });
  switches = new OperatorSwitches(tree, scheduleClock, events);
}

/** @returns the instant of the switch */
async function switchItem(item: number, isDisabled: boolean, afterMs: number): Promise<number> {
  await clock.advance(afterMs);
  if (isDisabled) disabled.add(item);
  else disabled.delete(item);
  switches.itemSwitched({ kind: 'ItemSwitched', item });
  return clock.wallNow();
}

function switchServer(status: ServerStatus, mtime: number): void {
  server = { status, mtime, version: server.version + 1 };
  switches.serverChanged();
}

/** A span of this host's time, with the same span in shared time. */
function span(after: number, until: number) {
  return { after, until, shared: { after: after === 0 ? 0 : after + behindMs, until: until + behindMs } };
}
