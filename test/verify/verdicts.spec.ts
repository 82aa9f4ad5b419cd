import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Suite } from '../suites.js';
import { VERDICTS } from './tree.js';
import { readVerdicts, recordVerdict } from './verdicts.js';

const suite = (name: string, more: Partial<Suite> = {}): Suite => ({
  name,
  shows: '',
  command: 'true',
  seconds: 1,
  ...more,
});

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'verdicts-'));
  mkdirSync(join(root, '.ci'));
});
afterEach(() => rmSync(root, { recursive: true }));

describe('the record of verdicts', () => {
  it('is empty at first', () => {
    expect(readVerdicts(root)).toEqual({});
  });

  it('has one line a suite, in order, so that branches seldom meet in a line', () => {
    recordVerdict(root, suite('simulation'), { digest: 'aa', date: '2026-11-28', seconds: 300 });
    recordVerdict(root, suite('chaos'), { digest: 'bb', date: '2026-11-27', seconds: 430 });
    expect(readFileSync(join(root, VERDICTS), 'utf8').split('\n')).toEqual([
      '{',
      '  "chaos": { "digest": "bb", "date": "2026-11-27", "seconds": 430 },',
      '  "simulation": { "digest": "aa", "date": "2026-11-28", "seconds": 300 }',
      '}',
      '',
    ]);
  });

  it('keeps the last verdict of a suite', () => {
    recordVerdict(root, suite('chaos'), { digest: 'aa', date: '2026-11-27', seconds: 430 });
    recordVerdict(root, suite('chaos'), { digest: 'bb', date: '2026-11-28', seconds: 420 });
    expect(readVerdicts(root)).toEqual({ chaos: { digest: 'bb', date: '2026-11-28', seconds: 420 } });
  });

  it('keeps the line of a verdict that still holds', () => {
    recordVerdict(root, suite('chaos'), { digest: 'aa', date: '2026-11-27', seconds: 430 });
    recordVerdict(root, suite('chaos'), { digest: 'aa', date: '2026-11-28', seconds: 420 });
    expect(readVerdicts(root)).toEqual({ chaos: { digest: 'aa', date: '2026-11-27', seconds: 430 } });
  });

  it('is not touched by suites that are always run, whose verdicts hold in this clone', () => {
    recordVerdict(root, suite('types', { always: true }), { digest: 'aa', date: '2026-11-27', seconds: 12 });
    expect(existsSync(join(root, VERDICTS))).toBe(false);
    expect(readVerdicts(root)).toMatchObject({ types: { digest: 'aa' } });
  });

  it('names the remedy if a merge has left its marks in it', () => {
    writeFileSync(join(root, VERDICTS), '<<<<<<< main\n');
    expect(() => readVerdicts(root)).toThrow('take either line');
  });
});
