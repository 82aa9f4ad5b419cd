import { beforeEach, describe, expect, it, vi } from 'vitest';
import { noteDate, present } from './present.js';

const NOW = Date.UTC(2026, 10, 30, 3, 14, 7);
const DAY = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
  return () => vi.useRealTimers();
});

describe('the present', () => {
  it.each([DAY, -DAY, 3 * 3_600_000])('is that of the server, also on a device that is off by %i ms', (off) => {
    noteDate(new Date(NOW + off).toUTCString());
    expect(present()).toBe(NOW + off);
  });

  it('is that of the device where both agree to some seconds, so that it does not jump', () => {
    noteDate(new Date(NOW + DAY).toUTCString());
    noteDate(new Date(NOW + 3_000).toUTCString());
    expect(present()).toBe(NOW);
  });

  it('stays as it is after an answer of a proxy that tells no date', () => {
    noteDate(new Date(NOW + DAY).toUTCString());
    noteDate(null);
    noteDate('yesterday');
    expect(present()).toBe(NOW + DAY);
  });
});
