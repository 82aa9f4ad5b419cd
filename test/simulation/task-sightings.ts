import { parseRunRecord } from '../../libs/elastic-job/src/domain/index.js';
import type { History } from './history.js';
import type { TaskLife } from './task-lives.js';

const REQUESTS = ['claim', 'open', 'watch', 'cancel', 'release'].flatMap((name) => [
  `${name}, before`,
  `${name}, after`,
]);

/** Situations that must occur in a run of many histories, because it exists to try them. */
const DUE: readonly string[] = [
  ['succeeded', 'handler failed', 'FAILED', 'ERROR', 'LOST', 'DROPPED', 'GONE', 'UNKNOWN', 'GONE_BY_OPERATOR'],
  ['KILLED by other', 'KILLED by timeout', 'KILLED by scheduler', 'QUEUED', 'UNREACHABLE', 'reachable again'],
  ['adopted gated', 'adopted while it ran', 'adopted after its end', 'handed over', 'launched again'],
  ['scheduler lost with what it could not hand over', 'place cleared for a newer run'],
  REQUESTS.flatMap((request) => [`stands still at ${request}`, `request fails: ${request}`]),
].flat();

/** Counts the situations of tasks in a history. */
export function taskSightings(history: History): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const see = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
  for (const task of history.tasks) for (const what of sightingsOf(history, task)) see(what);
  for (const { fault } of history.of('fault')) if (/^(stands still at|request fails)/.test(fault)) see(fault);
  for (const { fault } of history.of('healed')) if (fault === 'task unreachable') see('reachable again');
  for (const { event } of history.of('event')) {
    if (event.kind === 'task-queued') see('QUEUED');
    if (event.kind === 'task-state' && event.state === 'UNREACHABLE') see('UNREACHABLE');
    if (event.kind === 'executor-died' && event.state === 'GONE_BY_OPERATOR') see('GONE_BY_OPERATOR');
  }
  for (const { path, data } of history.commits.flatMap(({ writes }) => writes)) {
    const stored = path.endsWith('/record') ? parseRunRecord(data) : undefined;
    if (stored?.kind === 'record' && stored.record.settled?.cause === 'handed-over') see('handed over');
  }
  return counts;
}

/** Situations that must occur in many histories, and occur in none of these. */
export function unseen(counts: ReadonlyMap<string, number>): readonly string[] {
  return DUE.filter((what) => !counts.has(what));
}

function* sightingsOf(
  history: History,
  { holders, openedAt, end, release, launch, ...task }: TaskLife,
): Iterable<string> {
  const state = end?.state;
  if (state === 'FINISHED') yield end?.outcome === 'succeeded' ? 'succeeded' : 'handler failed';
  else if (state === 'KILLED') yield `KILLED by ${end?.killer}`;
  else if (state !== undefined) yield state;
  if (launch > 1) yield 'launched again';
  for (const { at } of holders.slice(1)) {
    if ((end?.at ?? Infinity) <= at) yield 'adopted after its end';
    else yield (openedAt ?? Infinity) <= at ? 'adopted while it ran' : 'adopted gated';
  }
  if (state === 'LOST' && history.plan.tasks?.adopts === false) yield 'scheduler lost with what it could not hand over';
  const begins = history.beginsOf(task.jobName, task.item);
  if (release !== undefined && begins.findLast(({ at }) => at < release.at)?.record.run !== release.run)
    yield 'place cleared for a newer run';
}
