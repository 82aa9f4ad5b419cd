import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VERDICTS } from './tree.js';
import { readVerdicts, recordVerdict } from './verdicts.js';

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
    recordVerdict(root, 'simulation', { digest: 'aa', date: '2026-11-28', seconds: 300 });
    recordVerdict(root, 'chaos', { digest: 'bb', date: '2026-11-27', seconds: 430 });
    expect(readFileSync(join(root, VERDICTS), 'utf8').split('\n')).toEqual([
      '{',
      '  "chaos": { "digest": "bb", "date": "2026-11-27", "seconds": 430 },',
      '  "simulation": { "digest": "aa", "date": "2026-11-28", "seconds": 300 }',
      '}',
      '',
    ]);
  });

  it('keeps the last verdict of a suite', () => {
    recordVerdict(root, 'chaos', { digest: 'aa', date: '2026-11-27', seconds: 430 });
    recordVerdict(root, 'chaos', { digest: 'bb', date: '2026-11-28', seconds: 420 });
    expect(readVerdicts(root)).toEqual({ chaos: { digest: 'bb', date: '2026-11-28', seconds: 420 } });
  });
});
