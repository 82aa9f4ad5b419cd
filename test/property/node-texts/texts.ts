import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { NODE_TEXT_LIMITS } from '../../../libs/elastic-job/src/domain/index.js';

/** Random numbers of a seed, each from 0 to below a limit. */
export type Random = (limit: number) => number;

export function randomOf(seed: number): Random {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

const { bytes } = NODE_TEXT_LIMITS;

/** A text repeated as often as a node may hold. */
export function filled(piece: string, before = '', after = ''): string {
  const room = bytes - Buffer.byteLength(before + after);
  return before + piece.repeat(Math.floor(room / Buffer.byteLength(piece))) + after;
}

function lines(line: (i: number) => string): string {
  let text = '';
  for (let i = 0; text.length < bytes; i += 1) text += `${line(i)}\n`;
  return text.slice(0, text.lastIndexOf('\n', bytes - 1) + 1);
}

function series(count: number, entry: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => entry(i)).join(',');
}

/** Lists of which each holds the one before nine times. */
function laughs(): string {
  const before = (i: number) => (i === 0 ? 'a' : `b${i - 1}`);
  return `a: &a [${'x,'.repeat(9)}]\n${lines((i) => `b${i}: &b${i} [${`*${before(i)},`.repeat(9)}]`)}`;
}

/** Texts of 256 KB that are made to be expensive, by their contents. */
export function dearTexts(random: Random): Readonly<Record<string, string>> {
  const dice = (alphabet: string, length: number = bytes) =>
    Array.from({ length }, () => alphabet[random(alphabet.length)]).join('');
  return {
    'short keys': lines((i) => `k${i.toString(36)}: 1`),
    props: `props:\n${lines((i) => `  p${i.toString(36)}: v`)}`.slice(0, bytes),
    'one key': filled('a: 1\n'),
    'a long text': filled('x', 'description: '),
    'a folded text': filled('word word word word\n  ', 'description: '),
    'a block': filled('  word word\n', 'description: |\n'),
    'a folded block': filled('  x\n\n', 'description: >\n'),
    'blank lines': filled('\n'),
    blanks: filled(' ', 'description: a', 'b'),
    tabs: filled('\t', 'description: a', 'b'),
    escapes: filled(String.raw`\u0041`, 'description: "', '"'),
    'escaped line ends': filled('\\\n ', 'description: "', '"'),
    quotes: filled("''", "description: '", "'"),
    comments: filled('#\n', 'a: 1\n'),
    'flow list': filled('1,', 'a: [', ']'),
    'flow mapping': filled('b,', 'a: {', '}'),
    'flow pairs': filled('b: c,', 'a: [', ']'),
    'flow lines': filled('b\n ', 'a: [', ']'),
    'open brackets': filled('[', 'a: '),
    'open braces': filled('{a: ', 'a: '),
    'nested lists': filled('- '),
    'nested keys': filled('? '),
    'one list': filled('- \n', 'jobListenerTypes:\n'),
    listeners: filled('- a\n', 'jobListenerTypes:\n'),
    anchors: lines((i) => `k${i.toString(36)}: &a${i.toString(36)} 1`),
    aliases: filled('*a,', 'a: &a b\nc: [', ']'),
    'billion laughs': laughs().slice(0, bytes),
    tags: filled('!t '),
    directives: filled('%A\n'),
    documents: filled('---\n'),
    'json of one level': `{${series(20_000, (i) => `"k${i}":1`)}}`.slice(0, bytes),
    'a record of many fields':
      '{"v":1,"run":"r","by":"b","target":{"fireTime":1,"origin":"schedule"},' +
      `${series(18_000, (i) => `"k${i}":1`)}}`,
    'deep json': filled('[', '', ''),
    'item parameters': filled(' ', 'shardingItemParameters: "0=', '"'),
    'many item parameters': `shardingItemParameters: ${series(30_000, (i) => `${i}=a`)}`.slice(0, bytes),
    'a cron of stars': filled('*,', 'cron: 0 0 0 ? * 1 ', '*'),
    'a cron of ranges':
      `cron: 0 0 0 ? * 1 ${series(25_000, (i) => `${1970 + (i % 230)}-2199/${1 + (Math.floor(i / 230) % 229)}`)}`.slice(
        0,
        bytes,
      ),
    'a long number': filled('1', 'shardingTotalCount: '),
    'base 60': filled(':1', 'shardingTotalCount: 1'),
    'wrong numbers': lines((i) => `${['cron', 'label', 'failover', 'misfire'][i % 4]}: [a]`),
    'wrong props': `props:\n${lines((i) => `  p${i}: [a]`)}`.slice(0, bytes),
    parents: filled('abc,', 'props:\n  nestjs.after: '),
    'dice of YAML': dice(' \n:-?[]{},#&*!|>\'"%@`ab0'),
    'dice in brackets': `a: [${dice(' \n:-?,#&!ab0', bytes - 6)}]`,
    'dice of lines': lines(() => dice(" :-,#'ab0", 12)),
    'dice of all characters': dice(Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)).join('')),
    'an instance': filled(' ', 'labels:', 'x'),
  };
}

/** Time of a library that reads all of YAML for one of these texts, on the machine on which limits were measured. */
const YARDSTICK_MS = 110;

/** How many times slower this machine is now than that one; at least 1. */
export function slowness(): number {
  const text = dearTexts(randomOf(1))['props']!;
  const start = cpuMs();
  parseDocument(text, { version: '1.1', schema: 'failsafe', stringKeys: true, uniqueKeys: false });
  return Math.max(1, (cpuMs() - start) / YARDSTICK_MS);
}

/** The processor time of this thread, in milliseconds, which a busy machine does not increase. */
export function cpuMs(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return performance.now();
  }
}
