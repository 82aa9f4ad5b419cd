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
  const believed = trusted.flatMap((decision) =>
    decision.kind === 'trusted'
      ? [[decision.suite.name, 'trusted', `${decision.verdict.seconds} s`, `since ${decision.verdict.date}`, '']]
      : [],
  );
  const rows = [...ran, ...believed];
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const speed = `The fixed piece of work took ${fastest.toFixed(2)} ms at its fastest.`;
  return [...lines, ...(done.some(({ pieces }) => pieces.length > 0) ? [speed] : [])].join('\n');
}

/** One line for each suite: whether it would run, and why. */
export function formatList(decisions: readonly Decision[], reasons: ReadonlyMap<string, string>): string {
  const width = Math.max(...decisions.map(({ suite }) => suite.name.length));
  return decisions
    .map((decision) => {
      const { suite } = decision;
      const what =
        decision.kind === 'run' ? `runs, ${reasonOf(decision, reasons)}` : `trusted since ${decision.verdict.date}`;
      return `${suite.name.padEnd(width)}  ${`${suite.seconds} s`.padStart(5)}  ${what}`;
    })
    .join('\n');
}

function reasonOf(decision: Decision & { readonly kind: 'run' }, reasons: ReadonlyMap<string, string>): string {
  const more = reasons.get(decision.suite.name);
  return more === undefined ? decision.why : `${decision.why}: ${more}`;
}

function percent(share: number): string {
  return `${Math.max(0, Math.round(share * 100))} %`;
}
