import { beforeEach, describe, expect, it } from 'vitest';
import { InstanceClock } from './instance-clock.js';
import { VirtualClock } from './virtual-clock.js';

let time: VirtualClock;
let clock: InstanceClock;
let fired: string[];

beforeEach(() => {
  time = new VirtualClock();
  clock = new InstanceClock(time);
  fired = [];
});

const note = (name: string) => () => void fired.push(`${name} ${clock.monotonicNow()}`);

describe('the clock of a process that stands still', () => {
  it('fires timers that fell due during a pause at once and in order, and the others in time', async () => {
    clock.setTimer(200, note('second'));
    clock.setTimer(100, note('first'));
    clock.setTimer(500, note('later'));
    void clock.sleep(300).then(note('third'));

    clock.pause();
    await time.advance(400);
    expect(fired).toEqual([]);
    expect(clock.monotonicNow()).toBe(400);
    clock.resume();
    await time.advance(100);

    expect(fired).toEqual(['first 400', 'second 400', 'third 400', 'later 500']);
  });

  it('does not fire a late timer that another late one cancels', async () => {
    clock.setTimer(100, () => second.cancel());
    const second = clock.setTimer(200, note('second'));

    clock.pause();
    await time.advance(400);
    clock.resume();
    await time.advance(0);

    expect(fired).toEqual([]);
    expect(time.pendingTimers).toBe(0);
  });

  it('keeps late timers waiting if it stands still again before they fire', async () => {
    clock.setTimer(100, note('timer'));

    clock.pause();
    await time.advance(200);
    clock.resume();
    clock.pause();
    await time.advance(200);
    expect(fired).toEqual([]);
    clock.resume();
    await time.advance(0);

    expect(fired).toEqual(['timer 400']);
  });

  it('gives work its next turn once it goes on', async () => {
    void clock.nextTurn().then(note('turn'));
    void clock.whenRunning().then(note('running'));

    clock.pause();
    await time.advance(100);
    expect(fired).toEqual(['running 0']);
    clock.resume();
    await time.advance(0);

    expect(fired).toEqual(['running 0', 'turn 100']);
  });

  it('fires nothing ever again after it dies', async () => {
    clock.setTimer(100, note('timer'));
    void clock.nextTurn().then(note('turn'));

    clock.halt();
    await time.advance(200);
    clock.resume();
    void clock.whenRunning().then(note('running'));
    await time.advance(200);

    expect(fired).toEqual([]);
  });
});
