import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../testing/index.js';
import { ConsoleProblem } from '../contract/index.js';
import { RateLimits } from './rate-limits.js';

const anna = { name: 'anna' };

/** Seconds to wait that a refusal names; 0 if there is none. */
function waitOf(ask: () => unknown): number {
  try {
    ask();
    return 0;
  } catch (error) {
    if (error instanceof ConsoleProblem && error.status === 429) return Number(error.headers['retry-after']);
    throw error;
  }
}

/** Number of calls of which none is refused. */
function allowed(most: number, ask: (index: number) => unknown): number {
  return Array.from({ length: most }, (_, index) => waitOf(() => ask(index))).filter((wait) => wait === 0).length;
}

describe('limits of log-ins', () => {
  it('allow a name five a minute from all addresses together, and say when the next one may come', async () => {
    const clock = new VirtualClock();
    const limits = new RateLimits(clock);

    expect(allowed(20, (index) => limits.logIn('anna', `10.0.0.${index}`))).toBe(5);
    expect(waitOf(() => limits.logIn('anna', '10.0.1.1'))).toBe(12);

    await clock.advance(12_000);
    expect(allowed(20, () => limits.logIn('anna', '10.0.1.1'))).toBe(1);
    await clock.advance(600_000);
    expect(allowed(20, () => limits.logIn('anna', '10.0.1.1'))).toBe(5);
  });

  it('allow an address 20 a minute over all names, and an IPv6 network as if it were one address', () => {
    const limits = new RateLimits(new VirtualClock());

    expect(allowed(50, (index) => limits.logIn(`name-${index}`, '10.0.0.1'))).toBe(20);
    expect(allowed(50, (index) => limits.logIn(`other-${index}`, `2001:db8:1:2::${index + 1}`))).toBe(20);
    expect(waitOf(() => limits.logIn('one-more', '2001:db8:1:3::1'))).toBe(0);
  });

  it('count nothing for a name while its address is refused, so that one client cannot lock others out', () => {
    const limits = new RateLimits(new VirtualClock());
    allowed(20, (index) => limits.logIn(`name-${index}`, '10.0.0.1'));

    expect(allowed(50, () => limits.logIn('anna', '10.0.0.1'))).toBe(0);
    expect(allowed(50, (index) => limits.logIn('anna', `10.0.1.${index}`))).toBe(5);
  });

  it('forget no name whose limit is reached, whatever number of names an attacker sends', () => {
    const limits = new RateLimits(new VirtualClock(), { logInsPerAddress: 1_000_000 });
    allowed(5, () => limits.logIn('anna', '10.0.0.1'));

    // Beyond the names that are kept, all others share one limit.
    expect(allowed(30_000, (index) => limits.logIn(`name-${index}`, '10.0.0.2'))).toBe(10_004);
    expect(waitOf(() => limits.logIn('anna', '10.0.0.3'))).toBe(12);
  });

  it('have room for new names once those of an attack are a minute old', async () => {
    const clock = new VirtualClock();
    const limits = new RateLimits(clock, { logInsPerAddress: 1_000_000 });
    allowed(30_000, (index) => limits.logIn(`name-${index}`, '10.0.0.2'));

    await clock.advance(60_000);
    expect(allowed(20, () => limits.logIn('anna', '10.0.0.1'))).toBe(5);
  });

  it.each(['__proto__', 'constructor', 'toString', ''])('hold for the name "%s" as for any other', (name) => {
    const limits = new RateLimits(new VirtualClock());
    expect(allowed(20, (index) => limits.logIn(name, `10.0.0.${index}`))).toBe(5);
  });
});

describe('limits of a person', () => {
  it('are 60 changes a minute and 50 reads a second, each person for itself', async () => {
    const clock = new VirtualClock();
    const limits = new RateLimits(clock);

    expect(allowed(100, () => limits.change(anna))).toBe(60);
    expect(allowed(100, () => limits.read(anna))).toBe(50);
    expect(allowed(100, () => limits.read({ name: 'ben' }))).toBe(50);
    expect(waitOf(() => limits.read(anna))).toBe(1);

    await clock.advance(1_000);
    expect(allowed(100, () => limits.read(anna))).toBe(50);
    expect(allowed(100, () => limits.change(anna))).toBe(1);
  });
});

describe('the options of limits', () => {
  it('replace a limit, and what is left out stays as it is', () => {
    const limits = new RateLimits(new VirtualClock(), { logInsPerName: 7 });

    expect(allowed(50, (index) => limits.logIn('anna', `10.0.0.${index}`))).toBe(7);
    expect(allowed(100, () => limits.change(anna))).toBe(60);
  });

  it.each([{ logInsPerName: 0 }, { changesPerMinute: -1 }, { streams: 1.5 }, { reads: 1 } as object])(
    'must be whole numbers above 0: %j is refused',
    (options) => {
      expect(() => new RateLimits(new VirtualClock(), options)).toThrow(/limits\.\w+/);
    },
  );
});
