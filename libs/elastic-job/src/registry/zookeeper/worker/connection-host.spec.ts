import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../testing/index.js';
import { Heartbeat } from './connection-host.js';

const MAX_BLOCKED_MS = 800;

describe('the heartbeat between two threads', () => {
  it('keeps asking a thread that answers, and never gives it up', async () => {
    const { clock, heard, heartbeat } = start(() => heartbeat.answered());
    await clock.advance(10 * MAX_BLOCKED_MS);
    expect(heard.length).toBeGreaterThan(70);
    expect(new Set(heard)).toEqual(new Set(['asked']));
    heartbeat.stop();
  });

  it('gives up a silent thread only once, and not before the limit', async () => {
    const { clock, heard } = start();
    await clock.advance(MAX_BLOCKED_MS);
    expect(heard).toEqual(['asked']);
    await clock.advance(MAX_BLOCKED_MS / 8);
    expect(heard).toEqual(['asked', 'given up']);
    await clock.advance(10 * MAX_BLOCKED_MS);
    expect(heard).toHaveLength(2);
  });

  it('asks a thread again after it was given up, once the next session begins', async () => {
    const { clock, heard, heartbeat } = start();
    await clock.advance(2 * MAX_BLOCKED_MS);
    heartbeat.start();
    await clock.advance(MAX_BLOCKED_MS / 8);
    expect(heard).toEqual(['asked', 'given up', 'asked']);
    heartbeat.stop();
  });

  it('gives a thread the whole limit again after an answer just before its end', async () => {
    const { clock, heard, heartbeat } = start();
    await clock.advance(MAX_BLOCKED_MS);
    heartbeat.answered();
    await clock.advance(MAX_BLOCKED_MS);
    expect(heard).toEqual(['asked', 'asked']);
    heartbeat.stop();
  });
});

function start(answer: () => void = () => {}) {
  const clock = new VirtualClock();
  const heard: string[] = [];
  const ask = () => {
    heard.push('asked');
    answer();
  };
  const heartbeat = new Heartbeat(clock, MAX_BLOCKED_MS, ask, () => heard.push('given up'));
  heartbeat.start();
  return { clock, heard, heartbeat };
}
