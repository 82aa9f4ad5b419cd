import { beforeAll, describe, expect, it } from 'vitest';
import {
  ConfigurationNodeError,
  formatConfiguration,
  layConfiguration,
  parseConfiguration,
  parseInstance,
  parseTriggerRequest,
} from '../../../libs/elastic-job/src/coordination/index.js';
import {
  type JobOptions,
  NODE_TEXT_LIMITS,
  parseParentProgress,
  parseRunRecord,
  parseStartLedger,
  resolveJobOptions,
} from '../../../libs/elastic-job/src/domain/index.js';
import { cpuMs, dearTexts, filled, type Random, randomOf, slowness } from './texts.js';

/** The longest that any text may keep an event loop, in milliseconds of processor time on an idle machine. */
const MOST_MS = 50;
const SEEDS = [1, 2, 3, 4, 5, 6];

describe('what a text of 256 KB costs', () => {
  const texts = dearTexts(randomOf(1));
  let mostMs = MOST_MS;

  beforeAll(() => {
    mostMs *= slowness();
  });

  it.each(Object.keys(texts))('given %s, when read as a configuration, then it takes at most 50 ms', (name) => {
    expect(Buffer.byteLength(texts[name]!)).toBeLessThanOrEqual(NODE_TEXT_LIMITS.bytes);
    expect(leastMs(() => layConfiguration(jobOf(), texts[name]!))).toBeLessThan(mostMs);
  });

  it.each(Object.keys(texts))('given %s, when read as any other node, then it takes at most 50 ms', (name) => {
    const text = texts[name]!;
    const readers = [
      parseRunRecord,
      parseStartLedger,
      parseParentProgress,
      parseTriggerRequest,
      (data: string) => parseInstance('10.0.0.1@-@1', '10.0.0.1', data),
    ];
    for (const read of readers) expect(leastMs(() => read(text))).toBeLessThan(mostMs);
  });

  it.each([2_000, 20_000])(
    'given %i aliases, when read, then the node is refused at once and names the limit',
    (count) => {
      const text = `cron: &a '0 0 0 * * ?'\nshardingTotalCount: 1\nprops:\n${Array.from({ length: count }, (_, i) => `  k${i}: *a\n`).join('')}`;
      expect(leastMs(() => layConfiguration(jobOf(), text))).toBeLessThan(mostMs);
      const tells = count === 2_000 ? 'line 24: it has more than 20 aliases' : '20 aliases';
      expect(() => layConfiguration(jobOf(), text)).toThrow(tells);
    },
  );

  it('given more than 256 KB, when read, then the error names node, size, limit and remedy', () => {
    const read = () => parseConfiguration(`${filled('#\n')}\n#`, 'myJob');
    expect(read).toThrow(ConfigurationNodeError);
    expect(read).toThrow(`config node of job "myJob" cannot be used: it has more than 262144 bytes. Correct the node`);
  });
});

describe('what this package and Java write', () => {
  it.each(SEEDS)(
    'given options of any size up to 256 KB, when written, then they read back the same (seed %i)',
    (seed) => {
      const random = randomOf(seed);
      for (let run = 0; run < 12; run += 1) {
        const local = jobOf(randomOptions(random, 4 ** (1 + random(8))));
        const text = formatConfiguration(local);
        if (Buffer.byteLength(text) > NODE_TEXT_LIMITS.bytes) continue;
        expect(layConfiguration(local, text)).toEqual({ configuration: local, differences: [] });
      }
    },
  );

  it.each([
    ['props', (i: number) => ({ props: Object.fromEntries(names(i).map((name) => [name, 'v'.repeat(40)])) }), 4_900],
    ['listeners', (i: number) => ({ jobListenerTypes: names(i).map((name) => name + 'x'.repeat(20)) }), 9_900],
    ['a text', (i: number) => ({ description: 'word '.repeat(i) }), 50_000],
    ['lines', (i: number) => ({ description: 'word\n'.repeat(i) }), 36_000],
  ])('given as much as fits into 256 KB of %s, when written, then it is read', (_, options, count) => {
    const local = jobOf(options(count));
    const text = formatConfiguration(local);
    expect(Buffer.byteLength(text)).toBeGreaterThan(200_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(NODE_TEXT_LIMITS.bytes);
    expect(layConfiguration(local, text)).toEqual({ configuration: local, differences: [] });
  });
});

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `n${i.toString(36).padStart(3, '0')}`);
}

function randomOptions(random: Random, size: number): Partial<JobOptions> {
  const alphabet = 'ab 0 \n: -#\'"{}[],&*!|>%@`~.=作\u0007\t\\é😀';
  const characters = Array.from(alphabet);
  const text = (length: number) =>
    Array.from({ length: random(length + 1) }, () => characters[random(characters.length)]).join('');
  return {
    description: text(size),
    jobParameter: text(size),
    label: text(20),
    jobErrorHandlerType: 'PAGER',
    jobListenerTypes: Array.from({ length: random(5) }, () => `l${text(20).replaceAll(',', '')}`),
    shardingItemParameters: Array.from({ length: random(size / 8 + 1) }, (_, i) => `${i}=p${i}`).join(','),
    shardingTotalCount: size,
    props: Object.fromEntries(Array.from({ length: random(size / 16 + 2) }, (_, i) => [`k${i}${text(12)}`, text(30)])),
  };
}

/** The best of five: what the machine or the collector adds is not the text's. */
function leastMs(read: () => unknown): number {
  const times = [1, 2, 3, 4, 5].map(() => {
    const start = cpuMs();
    try {
      read();
    } catch (error) {
      if (!(error instanceof ConfigurationNodeError)) throw error;
    }
    return cpuMs() - start;
  });
  return Math.min(...times);
}

function jobOf(options: Partial<JobOptions> = {}) {
  return resolveJobOptions(
    { name: 'myJob', cron: '0/5 * * * * ?', shardingTotalCount: 1, ...options },
    { place: 'job "myJob"' },
  );
}
