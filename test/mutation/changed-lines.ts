import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Lines } from './instrument.js';

/** Lines that a change has written, by file. @param base a commit */
export function changedLines(base: string, folder: string): ReadonlyMap<string, Lines> {
  const diff = execFileSync('git', ['diff', '-U0', '--diff-filter=AMR', base, '--', folder], { encoding: 'utf8' });
  let path = '';
  const changed = new Map<string, [number, number][]>();
  for (const line of diff.split('\n')) {
    if (line.startsWith('+++ b/')) path = line.slice('+++ b/'.length);
    const [, first, count = '1'] = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line) ?? [];
    if (first === undefined || Number(count) === 0 || !/(?<!\.spec)\.ts$/.test(path)) continue;
    changed.set(path, [...(changed.get(path) ?? []), [Number(first), Number(first) + Number(count) - 1]]);
  }
  return changed;
}

/** The commit at which a room was measured last, according to measured.json. */
export function lastMeasured(room: string): string {
  const commits: Record<string, string> = JSON.parse(readFileSync(new URL('measured.json', import.meta.url), 'utf8'));
  const commit = commits[room];
  if (commit === undefined) throw new Error(`measured.json names no commit for ${room}.`);
  return commit;
}
