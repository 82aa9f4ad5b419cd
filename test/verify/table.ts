import { fastestOf, slowerThan } from '../../bench/scale/machine-speed.js';
import type { Decision } from './plan.js';
import type { Done } from './run-all.js';

/** One line for each suite: how it ended and how long it took, or since when it is trusted. */
export function formatTable(done: readonly Done[], trusted: readonly Decision[]): string {
  const fastest = fastestOf(done.flatMap(({ pieces }) => pieces));
  const ran = done.map(({ suite, isGreen, seconds, pieces }) => [
    suite.name,
    isGreen ? 'green' : 'FAILED',
    `${seconds} s`,
    `usually ${suite.seconds} s`,
    pieces.length === 0 ? 'beside others' : `processors ${percent(slowerThan(fastest, pieces))} slower`,
  ]);
  const believed = trusted.map(({ suite, why }) => [suite.name, why, '', '', '']);
  const rows = aligned([...ran, ...believed]);
  const isMeasured = done.some(({ pieces }) => pieces.length > 0);
  return [
    ...rows,
    ...(isMeasured ? [`The fixed piece of work took ${fastest.toFixed(2)} ms at its fastest.`] : []),
  ].join('\n');
}

/** One line for each suite: whether it would run, and why. Then the time that they would take. */
export function formatList(decisions: readonly Decision[], reasons: ReadonlyMap<string, string>): string {
  const rows = decisions.map(({ kind, suite, why }) => {
    const files = reasons.get(suite.name);
    const reason = files === undefined ? why : `${why}: ${files}`;
    return [suite.name, `${suite.seconds} s`, kind === 'run' ? `would run, ${reason}` : why];
  });
  const chosen = decisions.filter(({ kind }) => kind === 'run').map(({ suite }) => suite);
  const needs = [...new Set(chosen.flatMap((suite) => suite.needs ?? []))].join(', ') || 'nothing but Node';
  const inTurn = chosen.filter(({ onlyComputes }) => !onlyComputes);
  const minutes = Math.ceil(inTurn.reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  const sum = `${chosen.length} of ${decisions.length} suites would run, about ${minutes} minutes. They need ${needs}.`;
  return [...aligned(rows), sum].join('\n');
}

function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  // The last one may be long.
  return rows.map((row) =>
    row
      .map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column]!) : cell))
      .join('  ')
      .trimEnd(),
  );
}

function percent(share: number): string {
  return `${Math.max(0, Math.round(share * 100))} %`;
}
