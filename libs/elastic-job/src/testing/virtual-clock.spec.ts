import { describe, expect, it } from 'vitest';
import { VirtualClock } from './virtual-clock.js';

describe('VirtualClock', () => {
  it('fires timers at their instants and in time order, whatever order they were set in', async () => {
    const clock = new VirtualClock({ wall: 1_000 });
    const fired: [string, number, number][] = [];
    const note = (name: string) => () => fired.push([name, clock.monotonicNow(), clock.wallNow()]);

    clock.setTimer(300, note('late'));
    clock.setTimer(100, note('early'));
    clock.setTimer(100, note('early too'));
    clock.setTimer(1_001, note('too late'));
    await clock.advance(1_000);

    expect(fired).toEqual([
      ['early', 100, 1_100],
      ['early too', 100, 1_100],
      ['late', 300, 1_300],
    ]);
    expect(clock.pendingTimers).toBe(1);
    expect(clock.wallNow()).toBe(2_000);
  });

  it('moves time on for a wait as short as an error of rounding', async () => {
    const clock = new VirtualClock();
    await clock.advance(20_011.561627080344);
    const before = clock.monotonicNow();

    const waited = clock.sleep(1.8e-12);
    await clock.advance(1);
    await waited;
    const fired: number[] = [];
    clock.setTimer(1e-12, () => fired.push(clock.monotonicNow()));
    await clock.advance(1);

    expect(fired[0]! - before).toBeGreaterThan(1);
  });

  it('runs every round of a loop that sleeps and asks for turns in one advance', async () => {
    const clock = new VirtualClock();
    const instants: number[] = [];
    const loop = async (): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        await clock.sleep(10);
        for (let turn = 0; turn < 20; turn += 1) await clock.nextTurn();
        instants.push(clock.monotonicNow());
      }
    };

    const done = loop();
    await clock.advance(50);

    expect(instants).toEqual([10, 20, 30, 40, 50]);
    await done;
  });

  it('resolves the next turn after all work that ends at the same instant', async () => {
    const clock = new VirtualClock();
    const order: string[] = [];
    const work = async (name: string): Promise<void> => {
      await clock.sleep(10);
      order.push(name);
      await clock.nextTurn();
      order.push(`turn after ${name}`);
    };

    const done = Promise.all([work('a'), work('b')]);
    await clock.advance(10);

    expect(order).toEqual(['a', 'b', 'turn after a', 'turn after b']);
    await done;
  });

  it('does not fire a timer that another one cancels at the same instant', async () => {
    const clock = new VirtualClock();
    const fired: string[] = [];
    clock.setTimer(5, () => {
      fired.push('first');
      second.cancel();
    });
    const second = clock.setTimer(5, () => fired.push('second'));

    await clock.advance(5);

    expect(fired).toEqual(['first']);
  });

  it('rejects a sleep at once if its signal aborts, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const controller = new AbortController();

    const sleeping = clock.sleep(1_000, controller.signal);
    controller.abort(new Error('enough'));

    await expect(sleeping).rejects.toThrow('enough');
    expect(clock.pendingTimers).toBe(0);
  });

  it('sets the wall clock of only one of two instances on one time line', async () => {
    const clock = new VirtualClock({ wall: 1_000, pid: 1 });
    const other = clock.fork({ hostAddress: '10.0.0.2', pid: 2 });

    clock.setWall(500_000);
    await other.advance(10);

    expect([clock.wallNow(), clock.monotonicNow()]).toEqual([500_010, 10]);
    expect([other.wallNow(), other.monotonicNow()]).toEqual([1_010, 10]);
    expect([other.hostAddress(), other.pid()]).toEqual(['10.0.0.2', 2]);
  });

  it('repeats numbers and ids for the same seed, and differs between instances', () => {
    const clock = new VirtualClock({ seed: 7 });
    const other = clock.fork();
    const again = new VirtualClock({ seed: 7 });
    again.fork();

    const drawn = draw(clock);

    expect(draw(again)).toEqual(drawn);
    expect(draw(other)).not.toEqual(drawn);
    expect(drawn[1]).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  it('passes the error of a callback to the caller of advance', async () => {
    const clock = new VirtualClock();
    clock.setTimer(5, () => {
      throw new Error('broken callback');
    });

    await expect(clock.advance(10)).rejects.toThrow('broken callback');
  });

  it('fails the test instead of hanging when a timer sets itself again without delay', async () => {
    const clock = new VirtualClock();
    const again = (): void => void clock.setTimer(0, again);
    again();

    await expect(clock.advance(1)).rejects.toThrow('Nothing comes to rest at 0 ms');
  });

  it('refuses an advance while another one is under way', async () => {
    const clock = new VirtualClock();

    const first = clock.advance(10);

    await expect(clock.advance(10)).rejects.toThrow('await it');
    await first;
    expect(clock.monotonicNow()).toBe(10);
  });
});

function draw(clock: VirtualClock): (string | number)[] {
  return [clock.random(), clock.uuid(), clock.random()];
}

describe('a clock of another rate', () => {
  it('shows less time, and fires timers later, for an instance whose clocks run slow', async () => {
    const clock = new VirtualClock({ wall: 0 });
    const slow = clock.fork({ rate: 0.5 });
    const firedAt: number[] = [];
    slow.setTimer(1_000, () => firedAt.push(clock.monotonicNow()));

    await clock.advance(4_000);

    expect(firedAt).toEqual([2_000]);
    expect([slow.monotonicNow(), slow.wallNow()]).toEqual([2_000, 2_000]);
  });
});
