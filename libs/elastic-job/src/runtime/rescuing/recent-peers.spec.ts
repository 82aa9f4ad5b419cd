import { beforeEach, expect, it } from 'vitest';
import { Absences, companyOf, type JobTree } from '../../coordination/index.js';
import { VirtualClock } from '../../testing/index.js';
import { RecentPeers } from './gone-instances.js';

const JAVA = '10.0.0.9@-@4711';
const GRACE_MS = 1_000;

let clock: VirtualClock;
/** Ids of the Java peers that are registered. */
let registered: Set<string>;
let known: number;
let peers: RecentPeers;
beforeEach(() => {
  clock = new VirtualClock();
  registered = new Set([JAVA]);
  known = 0;
  const tree: JobTree = Object.create(null, {
    jobName: { value: 'import' },
    clock: { value: clock },
    company: { get: () => companyOf(registered.size > 0) },
    hasInstance: { value: (id: string) => registered.has(id) },
  });
  const absences = new Absences(clock, () => GRACE_MS);
  peers = new RecentPeers(tree, absences, () => (known += 1));
});

it('are remembered after they have left, until a plan was written without them', () => {
  expect(peers.hadJava).toBe(false);
  peers.rememberPeers();
  registered.clear();
  peers.rememberPeers();
  expect(peers.hadJava).toBe(true);
  peers.forget();
  expect(peers.hadJava).toBe(false);
});

it('are not forgotten with a plan that one of them is in', () => {
  peers.rememberPeers();
  peers.forget();
  expect(peers.hadJava).toBe(true);
});

it('are waited for while they may come back, and then it is told once', async () => {
  peers.rememberPeers();
  registered.clear();
  peers.note(JAVA);
  expect(peers.watchMissing()).toBe(true);
  expect(peers.watchMissing()).toBe(true);
  await clock.advance(GRACE_MS - 1);
  expect(known).toBe(0);
  await clock.advance(1);
  expect(known).toBe(1);
  expect(peers.watchMissing()).toBe(false);
});

it('are seen as they come, and nobody is waited for in a job that never had any', () => {
  registered.clear();
  peers.note('10.0.0.1@-@1');
  expect([peers.hadJava, peers.watchMissing()]).toEqual([false, false]);
  registered.add(JAVA);
  peers.note(JAVA);
  expect(peers.hadJava).toBe(true);
});

it('are gone for good once they have not come back for their grace', async () => {
  peers.rememberPeers();
  registered.clear();
  expect(peers.goneForGood([JAVA])).toEqual([]);
  await clock.advance(GRACE_MS);
  expect(peers.goneForGood([JAVA])).toEqual([JAVA]);
});

it('leave no timer behind', () => {
  peers.rememberPeers();
  registered.clear();
  peers.note(JAVA);
  peers.watchMissing();
  peers.stop();
  expect(clock.pendingTimers).toBe(0);
});
