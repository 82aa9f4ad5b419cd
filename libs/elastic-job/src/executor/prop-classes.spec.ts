import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { BUILT_INS, propsRead } from '@test/support/unit/built-in-props.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { guardProps, targetsAmong, WHEN } from '../domain/index.js';

const LIBRARY = fileURLToPath(new URL('../', import.meta.url));
const SOURCES = readdirSync(LIBRARY, { encoding: 'utf8', recursive: true })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => readFileSync(LIBRARY + path, 'utf8'));
const ALL = Object.assign({}, ...Object.values(BUILT_INS).map(({ classes }) => classes));

afterEach(() => void vi.restoreAllMocks());

describe('the props of the built-in types', () => {
  it.each(Object.entries(BUILT_INS))('of %s each have a class, as far as the code reads them', (_, built) => {
    expect(propsRead(built.read).toSorted()).toEqual(Object.keys(built.classes).toSorted());
  });

  it('are those of every class of the library that is a job type or an error handler', () => {
    const declared = /^export class (\w+)(?:<.*>)? (?:implements (?:JobType|JobErrorHandler)|extends WebChannel)\b/gm;
    const found = SOURCES.flatMap((source) => [...source.matchAll(declared)].map(([, name]) => name!));
    // Tasks read no props of their own.
    expect([...found, 'DataflowJob'].toSorted()).toEqual([...Object.keys(BUILT_INS), 'TaskJobType'].toSorted());
  });

  it('have a class wherever the code names one', () => {
    const prefixes = new Set(Object.keys(ALL).map((name) => name.split('.', 1)[0]));
    const named = new RegExp(`'((?:${[...prefixes].join('|')})\\.[a-zA-Z.]+)'`, 'g');
    const names = SOURCES.flatMap((source) => [...source.matchAll(named)].map(([, name]) => name!));
    expect(names.filter((name) => !Object.hasOwn(ALL, name))).toEqual([]);
  });

  it('follow the registry only if they decide when, unless the module allows more', () => {
    const stored = Object.fromEntries(Object.keys(ALL).map((name) => [name, 'https://theirs.example/']));
    const { props, refused } = guardProps({}, stored, targetsAmong(ALL), {});
    expect(Object.keys(props).toSorted()).toEqual([
      'dingtalk.connectTimeoutMilliseconds',
      'dingtalk.readTimeoutMilliseconds',
      'http.connect.timeout.milliseconds',
      'http.read.timeout.milliseconds',
      'slack.connectTimeoutMilliseconds',
      'slack.readTimeoutMilliseconds',
      'streaming.process',
      'webhook.connectTimeoutMilliseconds',
      'webhook.readTimeoutMilliseconds',
      'wechat.connectTimeoutMilliseconds',
      'wechat.readTimeoutMilliseconds',
    ]);
    expect(refused.every((name) => ALL[name] !== WHEN)).toBe(true);
  });
});
