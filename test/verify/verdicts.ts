import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VERDICTS } from './tree.js';

/** A green run of a suite. */
export interface Verdict {
  /** That of its inputs. It alone decides whether the verdict still holds. */
  readonly digest: string;
  /** Day of the run, as YYYY-MM-DD. */
  readonly date: string;
  readonly seconds: number;
}

export type Verdicts = Readonly<Record<string, Verdict>>;

export function readVerdicts(root: string): Verdicts {
  const file = join(root, VERDICTS);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Adds a verdict to the file: one line a suite, in order of their names, so that branches seldom meet in a line. */
export function recordVerdict(root: string, suite: string, verdict: Verdict): void {
  const all = Object.entries({ ...readVerdicts(root), [suite]: verdict }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const lines = all.map(([name, one]) => `  ${JSON.stringify(name)}: ${lineOf(one)}`);
  writeFileSync(join(root, VERDICTS), `{\n${lines.join(',\n')}\n}\n`);
}

function lineOf({ digest, date, seconds }: Verdict): string {
  return `{ "digest": ${JSON.stringify(digest)}, "date": ${JSON.stringify(date)}, "seconds": ${seconds} }`;
}
