import Table from 'cli-table3';
import type { ClusterResult, Minute } from './run-cluster.js';

const MIB = 2 ** 20;
const MINUTE_MS = 60_000;
const SHOWN = 10;

/** True if every due run was done once or reported, and nothing was sent while nothing was due. */
export function isClusterKept({ sums: { silent, doubled }, minute }: ClusterResult): boolean {
  return silent.length === 0 && doubled.length === 0 && restRequests(minute).every((requests) => requests === 0);
}

/** The result, for a terminal. */
export function describeCluster({ sums, minute, restartS }: ClusterResult): string {
  const { due, once, repeated, told, silent, doubled } = sums;
  const serverPercent = (100 * (minute.ended.serverCpuMs - minute.begun.serverCpuMs)) / MINUTE_MS;
  const bad = [...silent.map((run) => `neither done nor told: ${run}`), ...doubled.map((run) => `doubled: ${run}`)];
  return [
    `all processes replaced in ${restartS.toFixed(0)} s, one of them killed`,
    `${due} runs due: ${once} done once, ${repeated} done again after the crash, ${told} told as missed, ` +
      `${silent.length} SILENT, ${doubled.length} DOUBLED`,
    ...bad.slice(0, SHOWN),
    `ZooKeeper, in the undisturbed minute: ${serverPercent.toFixed(1)} % of a core`,
    processTable(minute),
  ].join('\n');
}

function processTable(minute: Minute): string {
  const table = new Table({
    head: ['process', 'CPU, % of a core', 'RSS, MB', 'watches', 'requests of the minute', 'requests at rest'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [], compact: true },
  });
  const rests = restRequests(minute);
  for (const [index, after] of minute.ended.members.entries()) {
    const before = minute.begun.members[index]!;
    table.push([
      index + 1,
      ((100 * (after.cpuMs - before.cpuMs)) / MINUTE_MS).toFixed(1),
      (after.rss / MIB).toFixed(0),
      minute.watches[index]!,
      after.requests - before.requests,
      rests[index]!,
    ]);
  }
  return table.toString();
}

function restRequests({ restBegun, restEnded }: Minute): readonly number[] {
  return restEnded.members.map(({ requests }, index) => requests - restBegun.members[index]!.requests);
}
