import {
  parseRerun,
  parseRerunProgress,
  parseRunRecord,
  type Rerun,
  rerunIdOf,
  type RunRecord,
  type StoredRecord,
} from '../../libs/elastic-job/src/domain/index.js';
import { type Commit, type History, indexOf, remembered } from './history.js';
import { Replay } from './replay.js';

/** A begin of a re-run's target, or its end, with what was in the registry before it. */
export interface RerunStep {
  readonly kind: 'begin' | 'end';
  readonly commit: Commit;
  readonly jobName: string;
  readonly item: number;
  /** Process that runs the target. */
  readonly instance: number;
  readonly id: string;
  readonly record: RunRecord;
  /** The item's record before. */
  readonly before: StoredRecord;
  /** Undefined: the re-run was gone. */
  readonly rerun: Rerun | undefined;
  /** Fire times of the re-run that had ended for the item. */
  readonly ended: number;
  /** Fire times that have ended once this is committed. */
  readonly endedThen: number;
  /** The re-run that was the item's first one with something left. */
  readonly first: string | undefined;
  /** True if it repeats the target of the failover queue. */
  readonly isClaim: boolean;
  /** Instances of the job that did not say that they can run re-runs, since when. */
  readonly unable: readonly { readonly id: string; readonly since: number }[];
}

/** A write to a checkpoint. The item's run at that time was of a re-run, or not. */
interface CheckpointWrite {
  readonly commit: Commit;
  readonly jobName: string;
  readonly item: number;
  readonly isOfRerun: boolean;
}

/** A write of how far an item has come with a re-run, with the step that it belongs to. */
interface ProgressWrite {
  readonly commit: Commit;
  readonly jobName: string;
  readonly item: number;
  readonly id: string;
  readonly ended: number;
  /** Fire time that has ended with it. */
  readonly fireTime: number | undefined;
  /** The item's record before. */
  readonly before: StoredRecord;
}

interface Steps {
  readonly steps: readonly RerunStep[];
  readonly checkpointWrites: readonly CheckpointWrite[];
  readonly progressWrites: readonly ProgressWrite[];
}

const CAN = /^labels: .* can=(?:\S+,)?reruns(?:,|$)/m;
const known = new WeakMap<History, Steps>();

/** All steps of re-runs in a history, in order. */
export function rerunStepsOf(history: History): Steps {
  const steps = known.get(history) ?? readSteps(history);
  known.set(history, steps);
  return steps;
}

function readSteps(history: History): Steps {
  const steps: RerunStep[] = [];
  const checkpointWrites: CheckpointWrite[] = [];
  const progressWrites: ProgressWrite[] = [];
  const all = { steps, checkpointWrites, progressWrites };
  if (!history.commits.some(({ writes }) => writes.some(({ path }) => path.includes('/reruns/')))) return all;
  const tree = new Replay();
  const openOf = new Map<string, Map<string, Rerun>>();
  for (const commit of history.commits) {
    for (const { kind, path, data } of commit.writes) {
      const { jobName, node } = history.nodeOf(path);
      const open = remembered(openOf, jobName, () => new Map<string, Rerun>());
      if (node.kind === 'item-record' && kind !== 'deleted') {
        const step = stepIn(commit, tree, open, { jobName, item: node.item, data });
        if (step !== undefined) steps.push(step);
      } else if (node.kind === 'item-checkpoint') {
        const before = recordIn(tree, jobName, node.item);
        const isOfRerun = before.kind === 'record' && rerunIdOf(before.record.target.origin) !== undefined;
        if (!isGone(commit, itemPath(jobName, node.item)))
          checkpointWrites.push({ commit, jobName, item: node.item, isOfRerun });
      } else if (node.kind === 'rerun-item' && kind !== 'deleted') {
        const { id, item } = node;
        const ended = endedIn(data);
        const fireTime = open.get(id)?.fireTimes[ended - 1];
        progressWrites.push({ commit, jobName, item, id, ended, fireTime, before: recordIn(tree, jobName, item) });
      }
    }
    for (const { kind, path, data } of commit.writes) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'rerun') continue;
      const rerun = kind === 'deleted' ? undefined : parseRerun(data);
      if (rerun === undefined) openOf.get(jobName)?.delete(node.id);
      else openOf.get(jobName)?.set(node.id, rerun);
    }
    tree.apply(commit);
  }
  return all;
}

function stepIn(
  commit: Commit,
  tree: Replay,
  open: ReadonlyMap<string, Rerun>,
  { jobName, item, data }: { readonly jobName: string; readonly item: number; readonly data: string },
): RerunStep | undefined {
  const written = parseRunRecord(data);
  if (written.kind !== 'record') return undefined;
  const { record } = written;
  const id = rerunIdOf(record.target.origin);
  if (id === undefined) return undefined;
  const before = recordIn(tree, jobName, item);
  const kind = kindOf(commit, before, record, jobName, item);
  if (kind === undefined) return undefined;
  const progressPath = (one: string) => `/${jobName}/reruns/${one}/${item}`;
  const ended = endedIn(tree.get(progressPath(id))?.data);
  const note = commit.writes.find((write) => write.path === progressPath(id) && write.kind !== 'deleted');
  const left = [...open]
    .filter(([, one]) => one.withdrawn !== true && one.items.includes(item))
    .filter(([one, { fireTimes }]) => endedIn(tree.get(progressPath(one))?.data) < fireTimes.length)
    .toSorted(([a, x], [b, y]) => x.at - y.at || (a < b ? -1 : 1));
  const unable = tree.children(`/${jobName}/instances`).flatMap((instance) => {
    const { data: text, createdAt } = tree.get(`/${jobName}/instances/${instance}`)!;
    return CAN.test(text) ? [] : [{ id: instance, since: createdAt }];
  });
  const isClaim = commit.writes.some(
    (write) => write.kind === 'created' && write.path === `${itemPath(jobName, item)}/failovering`,
  );
  return {
    kind,
    commit,
    jobName,
    item,
    instance: indexOf(record.by),
    id,
    record,
    before,
    rerun: open.get(id),
    ended,
    endedThen: note === undefined ? ended : endedIn(note.data),
    first: left[0]?.[0],
    isClaim,
    unable,
  };
}

/** Undefined if the record was written for something else, or if the target runs again. */
function kindOf(
  { writes }: Commit,
  before: StoredRecord,
  { run, settled }: RunRecord,
  jobName: string,
  item: number,
): RerunStep['kind'] | undefined {
  const isSameRun = before.kind === 'record' && before.record.run === run;
  if (!isSameRun) return settled === undefined ? 'begin' : undefined;
  if (settled === undefined) return undefined;
  // A target that waits for failover ends if its place in the queue goes.
  if (before.record.settled !== undefined && (settled.cause !== 'purged' || before.record.settled.cause === 'purged'))
    return undefined;
  const queued = `/${jobName}/leader/failover/items/${item}`;
  const runsAgain =
    settled.isOwed === true ||
    settled.cause === 'handed-over' ||
    writes.some(({ kind, path }) => kind === 'created' && path === queued);
  return runsAgain ? undefined : 'end';
}

function isGone({ writes }: Commit, path: string): boolean {
  return writes.some((write) => write.kind === 'deleted' && write.path === path);
}

/** Number of fire times in the text of a progress. */
export function endedIn(text = ''): number {
  return parseRerunProgress(text)?.ended ?? 0;
}

function recordIn(tree: Replay, jobName: string, item: number): StoredRecord {
  return parseRunRecord(tree.get(`${itemPath(jobName, item)}/record`)?.data ?? '');
}

function itemPath(jobName: string, item: number): string {
  return `/${jobName}/sharding/${item}`;
}
