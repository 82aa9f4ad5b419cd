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
  parseEndedItems,
  parseParentProgress,
  parseRunRecord,
  parseStartLedger,
  resolveJobOptions,
} from '../../../libs/elastic-job/src/domain/index.js';
import { cpuMs, dearTexts, filled, type Random, randomOf, slowness } from './texts.js';

/** Longest time that any text may block the event loop, in milliseconds of processor time on an idle machine. */
const MOST_MS = 50;
const SEEDS = [1, 2, 3, 4, 5, 6];

describe('the cost of a text of 256 KB', () => {
  const texts = dearTexts(randomOf(1));
  let mostMs = MOST_MS;

  beforeAll(() => {
    mostMs *= slowness();
  });

  it.each(Object.keys(texts))('is at most 50 ms for %s as a configuration', (name) => {
    expect(Buffer.byteLength(texts[name]!)).toBeLessThanOrEqual(NODE_TEXT_LIMITS.bytes);
    expect(leastMs(() => layConfiguration(jobOf(), texts[name]!))).toBeLessThan(mostMs);
  });

  it.each(Object.keys(texts))('is at most 50 ms for %s as any other node', (name) => {
    const text = texts[name]!;
    const readers = [
      parseRunRecord,
      parseStartLedger,
      parseEndedItems,
      parseParentProgress,
      parseTriggerRequest,
      (data: string) => parseInstance('10.0.0.1@-@1', '10.0.0.1', data),
    ];
    for (const read of readers) expect(leastMs(() => read(text))).toBeLessThan(mostMs);
  });

  it.each([2_000, 20_000])(
    'is bounded for %i aliases: the node is refused at once, and the error names the limit',
    (count) => {
      const aliases = Array.from({ length: count }, (_, i) => `  k${i}: *a\n`).join('');
      const text = `cron: &a '0 0 0 * * ?'\nshardingTotalCount: 1\nprops:\n${aliases}`;
      expect(leastMs(() => layConfiguration(jobOf(), text))).toBeLessThan(mostMs);
      const tells = count === 2_000 ? 'line 24: it has more than 20 aliases' : '20 aliases';
      expect(() => layConfiguration(jobOf(), text)).toThrow(tells);
    },
  );

  it('is bounded above 256 KB: the error names node, size, limit and remedy', () => {
    const read = () => parseConfiguration(`${filled('#\n')}\n#`, 'myJob');
    expect(read).toThrow(ConfigurationNodeError);
    expect(read).toThrow(`config node of job "myJob" cannot be used: it has more than 262144 bytes. Correct the node`);
  });
});

describe('texts that this package and Java write', () => {
  it.each(SEEDS)('read back the same from options of any size up to 256 KB (seed %i)', (seed) => {
    const random = randomOf(seed);
    for (let run = 0; run < 12; run += 1) {
      const local = jobOf(randomOptions(random, 4 ** (1 + random(8))));
      const text = formatConfiguration(local);
      if (Buffer.byteLength(text) > NODE_TEXT_LIMITS.bytes) continue;
      expect(layConfiguration(local, text)).toMatchObject({ configuration: local, differences: [] });
    }
  });

  it.each([
    ['props', (i: number) => ({ props: Object.fromEntries(names(i).map((name) => [name, 'v'.repeat(40)])) }), 4_900],
    ['listeners', (i: number) => ({ jobListenerTypes: names(i).map((name) => name + 'x'.repeat(20)) }), 9_900],
    ['a text', (i: number) => ({ description: 'word '.repeat(i) }), 50_000],
    ['lines', (i: number) => ({ description: 'word\n'.repeat(i) }), 36_000],
  ])('are read with as much of %s as fits into 256 KB', (_, options, count) => {
    const local = jobOf(options(count));
    const text = formatConfiguration(local);
    expect(Buffer.byteLength(text)).toBeGreaterThan(200_000);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(NODE_TEXT_LIMITS.bytes);
    expect(layConfiguration(local, text)).toMatchObject({ configuration: local, differences: [] });
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

/** The best of five, since the machine and the collector only add time. */
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
