import Table from 'cli-table3';
import { failoverTimes, longestGapMs, progress, type RunSource } from './check/index.js';
import type { ChaosResult } from './run-chaos.js';
import type { RollingResult } from './run-rolling.js';

/** One column of the report. */
export interface Column {
  readonly title: string;
  readonly chaos: ChaosResult;
  /** Undefined: there was no rolling restart. */
  readonly rolling?: RollingResult;
}

/** Results of each kind of worker, side by side. */
export function report(columns: readonly Column[]): string {
  const table = new Table({
    head: ['', ...columns.map(({ title }) => title)],
    colAligns: ['left', ...columns.map(() => 'right' as const)],
    style: { head: [], border: [] },
  });
  const kinds = new Set(columns.flatMap(({ chaos }) => [...chaos.faults.keys()]));
  for (const kind of [...kinds].toSorted()) {
    table.push([`fault: ${kind}`, ...columns.map(({ chaos }) => chaos.faults.get(kind) ?? 0)]);
  }
  for (const [name, read] of Object.entries(ROWS)) table.push([name, ...columns.map(read)]);
  return table.toString();
}

const ROWS: Readonly<Record<string, (column: Column) => string | number>> = {
  'faults in all': ({ chaos }) => [...chaos.faults.values()].reduce((sum, count) => sum + count, 0),
  'due targets': ({ chaos }) => chaos.coverage.targets,
  'targets that nothing would have excused': ({ chaos }) => chaos.coverage.inexcusable,
  'targets with a run of their own': ({ chaos }) => chaos.coverage.own,
  'targets that a later run stands for': ({ chaos }) => chaos.coverage.superseded,
  'runs on schedule': (column) => runs(column, 'NORMAL_TRIGGER'),
  'runs caught up on (MISFIRE)': (column) => runs(column, 'MISFIRE'),
  'runs rescued (FAILOVER)': (column) => runs(column, 'FAILOVER'),
  'runs in all': ({ chaos }) => chaos.history.runs.length,
  'writes refused by the fence': ({ chaos }) => chaos.refusals,
  'LOST targets': (column) => violations(column, 'lost'),
  'SILENT targets, neither run nor told': (column) => violations(column, 'silent'),
  'CONTRADICTED: run and told, or told twice': (column) => violations(column, 'contradicted'),
  'UNEXPLAINED runs': (column) => violations(column, 'unexplained'),
  'STALE EFFECTS accepted': (column) => violations(column, 'stale effect'),
  'OVERLAPS with a holder who could know': (column) => violations(column, 'overlap'),
  'NODES left behind': (column) => violations(column, 'litter'),
  'runs of their own later than the slack': ({ chaos }) => `${chaos.coverage.late} (${chaos.history.slackMs} ms)`,
  'longest wait without an excuse, ms': ({ chaos }) => Math.round(chaos.coverage.latestMs),
  'longest gap between runs of an item, ms': ({ chaos: { history } }) =>
    history.jobs.map((job) => `${longestGapMs(history, job)} (${job.name})`).join('\n'),
  'fires again after the last fault, ms': ({ chaos: { history } }) =>
    progress(history)
      .map(({ job, afterMs }) => `${afterMs ?? 'never'} (${job})`)
      .join('\n'),
  'from SIGKILL to the next begin, ms: p50 / p90 / p99 of': ({ chaos: { history } }) => {
    const times = failoverTimes(history);
    return `${[0.5, 0.9, 0.99].map((share) => percentile(times, share)).join(' / ')} of ${times.length}`;
  },
  'rolling restart: workers, targets': ({ rolling }) =>
    rolling === undefined ? '-' : `${rolling.restarts}, ${rolling.targets}`,
  'rolling restart: MISSED, DOUBLED, nodes left': ({ rolling }) =>
    rolling === undefined ? '-' : `${rolling.missed}, ${rolling.doubled}, ${rolling.left}`,
};

function runs({ chaos }: Column, source: RunSource): string | number {
  const known = chaos.history.runs.filter((run) => run.source !== undefined);
  return known.length === 0 ? 'not told' : known.filter((run) => run.source === source).length;
}

function violations({ chaos }: Column, rule: string): number {
  return chaos.violations.filter((violation) => violation.rule === rule).length;
}

/** The value that this share of the values does not exceed; `-` of none. */
export function percentile(values: readonly number[], share: number): number | string {
  const inOrder = values.toSorted((a, b) => a - b);
  return inOrder[Math.max(0, Math.ceil(share * inOrder.length) - 1)] ?? '-';
}
