import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Suite } from '../suites.js';
import { VERDICTS } from './tree.js';

/**
 * The verdicts of suites that are always run. They read all files, so no clone could use those of another one, and
 * branches would meet in each line.
 */
const OWN_VERDICTS = 'node_modules/.cache/verdicts.json';

/** A green run of a suite. */
export interface Verdict {
  /** That of its inputs. It alone decides whether the verdict still holds. */
  readonly digest: string;
  /** Day of the run, as YYYY-MM-DD. */
  readonly date: string;
  readonly seconds: number;
}

export type Verdicts = Readonly<Record<string, Verdict>>;

/** @throws if a file cannot be read, such as after a merge */
export function readVerdicts(root: string): Verdicts {
  return { ...read(root, VERDICTS), ...read(root, OWN_VERDICTS) };
}

/**
 * Adds a verdict to its file: one line a suite, in order of their names, so that branches seldom meet in a line. A
 * verdict that holds stays as it is.
 */
export function recordVerdict(root: string, { name, always }: Suite, verdict: Verdict): void {
  const file = always ? OWN_VERDICTS : VERDICTS;
  const known = read(root, file);
  if (known[name]?.digest === verdict.digest) return;
  const all = Object.entries({ ...known, [name]: verdict }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = all.map(([suite, one]) => `  ${JSON.stringify(suite)}: ${lineOf(one)}`);
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), `{\n${lines.join(',\n')}\n}\n`);
}

function read(root: string, file: string): Verdicts {
  const path = join(root, file);
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const remedy = 'After a merge take either line of a suite: one that does not fit makes it run again.';
    throw new Error(`${file} is no JSON. ${remedy}`, { cause });
  }
}

function lineOf({ digest, date, seconds }: Verdict): string {
  return `{ "digest": ${JSON.stringify(digest)}, "date": ${JSON.stringify(date)}, "seconds": ${seconds} }`;
}
