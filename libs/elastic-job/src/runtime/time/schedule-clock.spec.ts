import { beforeEach, describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../registry/index.js';
import { VirtualClock } from '../../testing/index.js';
import { JobEvents, type JobEvent } from '../../tracing/index.js';
import { ScheduleClock } from './schedule-clock.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** The host's clock. The registry's clock goes on from its start. */
let clock: VirtualClock;
let start: number;
let offsets: Map<string, number>;
let requests: number;
/** True if the registry answers when asked for its time. */
let isAnswering: boolean;
/** Milliseconds by which the known time of the registry is behind, until it is asked; undefined if none is known. */
let staleMs: number | undefined;
/** Precision of the known time of the registry, in milliseconds. */
let uncertaintyMs: number;
let told: JobEvent[];
let reported: number[];
let changes: number;
let schedule: ScheduleClock;
beforeEach(() => {
  clock = new VirtualClock();
  start = clock.wallNow() - clock.monotonicNow();
  offsets = new Map();
  requests = 0;
  isAnswering = true;
  staleMs = 0;
  uncertaintyMs = 0;
  told = [];
  reported = [];
  changes = 0;
  const events = new JobEvents();
  events.on((event) => void told.push(event));
  const registry: RegistryCenter = Object.assign(Object.create(null), {
    time: () => {
      const now = registryNow() - (staleMs ?? 0);
      return staleMs === undefined ? undefined : { earliest: now - uncertaintyMs, latest: now + uncertaintyMs };
    },
    serverTime: async () => {
      requests += 1;
      if (!isAnswering) await new Promise(() => {});
      staleMs = 0;
      return registryNow();
    },
  });
  schedule = new ScheduleClock({
    clock,
    registry,
    events,
    toleranceMs: 10 * SECOND,
    offsets: () => offsets,
    report: (offsetMs) => void reported.push(offsetMs),
    onChanged: () => void (changes += 1),
  });
});

describe('the time by which fire times come', () => {
  it("is the host's while that is within the tolerance, and nobody is asked", async () => {
    setAhead(10 * SECOND);
    expect(await schedule.hasCome(clock.wallNow())).toBe(true);
    expect([requests, told, schedule.heldBackMs, schedule.behindMs]).toEqual([0, [], undefined, undefined]);
    await schedule.ask();
    expect(told).toEqual([]);
  });

  it("is the registry's while the host's is ahead of it by more, which is told once", async () => {
    await stepTo(HOUR);
    expect(schedule.wallNow()).toBe(registryNow());
    expect(schedule.heldBackMs).toBe(HOUR);
    expect(await schedule.hasCome(clock.wallNow())).toBe(false);
    expect(await schedule.hasCome(registryNow() + 10 * SECOND)).toBe(true);
    expect(await schedule.hasCome(registryNow() + 10 * SECOND + 1)).toBe(false);
    expect(told).toEqual([{ kind: 'clock', state: 'ahead', offsetMs: HOUR }]);
  });

  it("says what it was as the registry's clock showed a time, while the two are within the tolerance", async () => {
    setAhead(-10 * SECOND);
    expect(schedule.fromRegistry(HOUR)).toEqual({ own: HOUR - 10 * SECOND, shared: HOUR });
    await stepTo(HOUR);
    expect(schedule.fromRegistry(HOUR)).toEqual({ own: HOUR, shared: HOUR });
    await stepTo(-HOUR);
    expect(schedule.fromRegistry(HOUR)).toEqual({ own: HOUR, shared: HOUR });
  });

  it("is as little ahead of the registry's as is sure", async () => {
    uncertaintyMs = 300;
    await stepTo(HOUR);
    expect(schedule.wallNow()).toBe(registryNow() - 300);
    expect(schedule.heldBackMs).toBe(HOUR - 300);
  });

  it("is the host's again within half a second after that was set right", async () => {
    await stepTo(HOUR);
    setAhead(0);
    await clock.advance(500);
    expect(told.at(-1)).toEqual({ kind: 'clock', state: 'trusted', offsetMs: 0 });
    expect([schedule.wallNow(), schedule.heldBackMs]).toEqual([clock.wallNow(), undefined]);
  });

  it('is asked for each half minute while fire times are held back, and no more once it stops', async () => {
    await stepTo(HOUR);
    const before = requests;
    expect(before).toBe(1);
    await clock.advance(28 * SECOND);
    expect(requests - before).toBe(0);
    await clock.advance(62 * SECOND);
    expect(requests - before).toBe(3);
    schedule.stop();
    expect(clock.pendingTimers).toBe(0);
    await schedule.othersReported();
    expect(requests - before).toBe(3);
  });

  it("goes on as it was until the registry has answered, if the host's clock was set forward", async () => {
    isAnswering = false;
    setAhead(HOUR);
    await clock.advance(SECOND);
    expect(schedule.wallNow()).toBe(registryNow());
    schedule.askIfSet();
    await clock.advance(SECOND);
    expect(schedule.wallNow()).toBe(registryNow());
    expect([requests, changes]).toEqual([1, 0]);
  });

  it('is the host’s within seconds after that was set, though nobody asks for it', async () => {
    await schedule.ask();
    setAhead(-HOUR);
    await clock.advance(6 * SECOND);
    expect(told).toEqual([{ kind: 'clock', state: 'behind', offsetMs: -HOUR }]);
    setAhead(0);
    await clock.advance(6 * SECOND);
    expect(told.at(-1)).toEqual({ kind: 'clock', state: 'trusted', offsetMs: 0 });
    expect(requests).toBe(3);
    schedule.stop();
    expect(clock.pendingTimers).toBe(0);
  });

  it("is looked at anew once a step of the host's clock is judged, but not for a second", async () => {
    setAhead(SECOND);
    schedule.askIfSet();
    expect(schedule.wallNow()).toBe(clock.wallNow());
    await clock.advance(0);
    expect([requests, changes]).toEqual([0, 0]);
    setAhead(SECOND + 1);
    schedule.askIfSet();
    await clock.advance(0);
    expect([requests, changes, schedule.wallNow()]).toEqual([1, 1, clock.wallNow()]);
  });
});

describe('a host whose clock was set', () => {
  it('costs no request to those who read the time, and shows nobody a time that is early', async () => {
    setAhead(HOUR);
    expect([schedule.wallNow(), schedule.sharedNow()]).toEqual([registryNow(), registryNow()]);
    await clock.advance(SECOND);
    expect([requests, changes]).toEqual([0, 0]);
  });

  it('is judged before the next timer of a job fires', async () => {
    const seen: number[] = [];
    schedule.setTimer(SECOND, () => void seen.push(requests));
    setAhead(HOUR);
    await clock.advance(SECOND);
    expect(seen).toEqual([1]);
  });
});

describe('a process that stops', () => {
  it("does not ask about a host's clock that is set from then on", async () => {
    schedule.stop();
    setAhead(HOUR);
    schedule.askIfSet();
    await clock.advance(SECOND);
    expect([requests, changes]).toEqual([0, 0]);
  });

  it('looks at no schedule anew when the answer comes that it has asked for before', async () => {
    setAhead(HOUR);
    schedule.askIfSet();
    schedule.stop();
    await clock.advance(SECOND);
    expect([requests, changes, told]).toEqual([1, 0, []]);
  });
});

describe('the time that instances share', () => {
  it("is the host's while nobody knows the registry's", () => {
    staleMs = undefined;
    expect(schedule.sharedNow()).toBe(clock.wallNow());
  });

  it.each([
    [-HOUR, -300],
    [-10 * SECOND, -300],
    [-200, -200],
    [0, 0],
    [200, 200],
    [4 * SECOND, 300],
  ])("is the instant of the registry's that is nearest to the host's: %d ms ahead", async (aheadMs, sharedMs) => {
    uncertaintyMs = 300;
    await stepTo(aheadMs);
    expect(schedule.sharedNow() - registryNow()).toBe(sharedMs);
  });

  it('is the time by which fire times come, where these are held back', async () => {
    uncertaintyMs = 300;
    await stepTo(HOUR);
    expect(schedule.sharedNow()).toBe(schedule.wallNow());
  });

  it("is that of most instances, if these agree that the registry's is wrong", async () => {
    offsets = new Map(['a', 'b', 'c'].map((other) => [other, 2 * HOUR]));
    await stepTo(HOUR);
    expect([schedule.wallNow(), schedule.sharedNow()]).toEqual([clock.wallNow(), registryNow() + 2 * HOUR]);
    expect(schedule.fromRegistry(HOUR)).toEqual({ own: HOUR, shared: 3 * HOUR });
  });
});

describe('the registry', () => {
  it('is asked before anything is begun if its time is unknown; until then no offset is reported', async () => {
    staleMs = undefined;
    expect(schedule.fromRegistry(HOUR)).toEqual({ own: HOUR, shared: HOUR });
    expect([schedule.reference, schedule.offsetMs]).toEqual([undefined, undefined]);
    expect(await schedule.hasCome(clock.wallNow())).toBe(true);
    expect([requests, reported]).toEqual([1, [0]]);
  });

  it('is asked before a fire time is held back: what is known of its time may be out of date', async () => {
    staleMs = HOUR;
    expect(await schedule.hasCome(clock.wallNow())).toBe(true);
    expect([requests, told]).toEqual([1, []]);
  });

  it('is asked before owed fire times are caught up on by a clock that seems to run ahead', async () => {
    setAhead(HOUR);
    expect(await schedule.now()).toBe(registryNow());
    expect(schedule.heldBackMs).toBe(HOUR);
  });

  it("is asked no more once its own clock was set as the host's, and nothing is held back", async () => {
    await stepTo(HOUR);
    start += HOUR;
    await clock.advance(31 * SECOND);
    const before = requests;
    await clock.advance(60 * SECOND);
    expect([schedule.heldBackMs, requests]).toEqual([undefined, before]);
  });
});

describe('a clock that is behind', () => {
  it('is asked about before that is told, and found right again from memory', async () => {
    setAhead(-HOUR);
    await schedule.hasCome(clock.wallNow());
    await clock.advance(0);
    expect([requests, schedule.behindMs]).toEqual([1, HOUR]);

    setAhead(0);
    await schedule.hasCome(clock.wallNow());
    expect([requests, schedule.behindMs]).toEqual([1, undefined]);
    expect(told.at(-1)).toEqual({ kind: 'clock', state: 'trusted', offsetMs: 0 });
  });

  it('is told once, with how far', async () => {
    await stepTo(-HOUR);
    await schedule.hasCome(clock.wallNow());
    expect(told).toEqual([{ kind: 'clock', state: 'behind', offsetMs: -HOUR }]);
    expect([schedule.behindMs, schedule.heldBackMs, schedule.wallNow()]).toEqual([HOUR, undefined, clock.wallNow()]);
    const before = requests;
    await clock.advance(60 * SECOND);
    expect(requests).toBe(before);
  });
});

describe('what the other instances show', () => {
  it("stands for the registry's time if most agree that it is wrong", async () => {
    offsets = new Map([['other', HOUR + SECOND]]);
    await stepTo(HOUR);
    expect(told).toEqual([{ kind: 'clock', state: 'registry-wrong', offsetMs: HOUR + SECOND }]);
    expect(schedule.wallNow()).toBe(clock.wallNow());
    expect(schedule.reference).toEqual({
      earliest: registryNow() + HOUR + SECOND,
      latest: registryNow() + HOUR + SECOND,
      toleranceMs: 10 * SECOND,
    });
  });

  it('is waited for during a second, in which no record counts as from the future', async () => {
    offsets = new Map([['other', 0]]);
    setAhead(HOUR);
    schedule.askIfSet();
    await clock.advance(999);
    expect([schedule.reference, told]).toEqual([undefined, []]);
    expect(schedule.isAhead(registryNow() + HOUR)).toBe(false);
    await clock.advance(1);
    expect(told).toEqual([{ kind: 'clock', state: 'ahead', offsetMs: HOUR }]);
    expect(schedule.isAhead(registryNow() + HOUR)).toBe(true);
  });

  it('is not waited for once they have been heard, nor when the clock is right again', async () => {
    offsets = new Map([['other', 0]]);
    await stepTo(HOUR);
    await clock.advance(SECOND);
    void schedule.ask();
    await clock.advance(0);
    expect(schedule.reference).toBeDefined();
    setAhead(0);
    void schedule.ask();
    await clock.advance(0);
    expect([schedule.reference, told.at(-1)]).toEqual([
      expect.anything(),
      { kind: 'clock', state: 'trusted', offsetMs: 0 },
    ]);
  });

  it('is told how far this clock is off as it changes by more than a second', async () => {
    await schedule.hasCome(clock.wallNow());
    expect(reported).toEqual([0]);
    setAhead(SECOND);
    await schedule.hasCome(clock.wallNow());
    expect(reported).toEqual([0]);
    setAhead(SECOND + 1);
    await schedule.hasCome(clock.wallNow());
    expect(reported).toEqual([0, SECOND + 1]);
    expect(schedule.offsetMs).toBe(SECOND + 1);
    schedule.stop();
    setAhead(HOUR);
    await schedule.hasCome(clock.wallNow());
    expect(reported).toEqual([0, SECOND + 1]);
  });

  it('is judged anew when one of them tells of its clock', async () => {
    await stepTo(HOUR);
    offsets = new Map([['other', HOUR]]);
    await clock.advanceUntil(schedule.othersReported());
    expect(told.map((event) => event.kind === 'clock' && event.state)).toEqual(['ahead', 'registry-wrong']);
  });

  it('is told, and schedules are read anew, when others agree on another time while times are held back', async () => {
    offsets = new Map(['a', 'b'].map((name) => [name, 0]));
    await stepTo(5 * HOUR);
    offsets = new Map(['a', 'b'].map((name) => [name, 2 * HOUR]));
    await clock.advanceUntil(schedule.othersReported());

    expect(told).toEqual([
      { kind: 'clock', state: 'ahead', offsetMs: 5 * HOUR },
      { kind: 'clock', state: 'ahead', offsetMs: 3 * HOUR },
    ]);
    expect([schedule.heldBackMs, schedule.wallNow() - registryNow()]).toEqual([3 * HOUR, 2 * HOUR]);
    expect(changes).toBe(3);
  });
});

function registryNow(): number {
  return start + clock.monotonicNow();
}

function setAhead(ms: number): void {
  clock.setWall(registryNow() + ms);
}

/** Sets the host's clock and waits until it is judged. */
async function stepTo(aheadMs: number): Promise<void> {
  setAhead(aheadMs);
  schedule.askIfSet();
  await clock.advance(SECOND);
}
