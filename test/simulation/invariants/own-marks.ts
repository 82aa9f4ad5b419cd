import { existence } from '../calm.js';
import { type History, indexOf, type Interval } from '../history.js';
import { timeOf, type Violation } from './invariant.js';

/** Longest life of a mark that its holder has forgotten, in milliseconds: its own check, and the settle. */
const FORGOTTEN_MS = 20_000;

/** A mark whose holder runs nothing of it. */
interface Forgotten {
  readonly path: string;
  readonly holder: string;
  /** Time of its creation. */
  readonly at: number;
  /** Time at which its run was over. */
  readonly over: number;
}

/** 26. A mark whose holder lives belongs to one of its runs, or goes in time once the holder is undisturbed. */
export function check26OwnMarks(history: History): Violation[] {
  const limitMs = FORGOTTEN_MS + history.promptMs;
  return [...ofRuns(history), ...ofOthers(history)].flatMap(({ path, holder, at, over }): Violation[] => {
    const since = history.steadySince(indexOf(holder), over, limitMs);
    const by = since + limitMs;
    const isLeft = existence(history, path).some((mark) => mark.from === at && mark.to > by);
    if (!history.judges(26, isLeft && by > history.closingAt && 'the history ends before') || !isLeft) return [];
    const { jobName } = history.nodeOf(path);
    const isMember = ({ from, to }: Interval) => from <= since && to >= by;
    if (!existence(history, `/${jobName}/instances/${holder}`).some(isMember)) return [];
    const message = `${path} names ${holder}, which runs nothing of it since ${timeOf(over)}`;
    return [{ at: by, message, about: path.slice(0, path.lastIndexOf('/') + 1) }];
  });
}

function ofRuns(history: History): Forgotten[] {
  // A retried run has several handlers, one after the other.
  const last = new Map(history.runs.map((run) => [history.beginOf(run), run]));
  return history.begins.flatMap((begin): Forgotten[] => {
    const { at, jobName, item, record, isClaim } = begin;
    const run = last.get(begin);
    // A begun item waits for a slot. It is settled without a run, or runs.
    const over = run === undefined ? at + history.turnMs(jobName) : (run.endedAt ?? run.releasedAt);
    if (over === undefined) return [];
    return (isClaim ? ['running', 'failovering'] : ['running']).map((mark) => ({
      path: `/${jobName}/sharding/${item}/${mark}`,
      holder: record.by,
      at,
      over,
    }));
  });
}

/** Marks that were made by hand, in the name of an instance. */
function ofOthers(history: History): Forgotten[] {
  return history.commits.flatMap(({ at, writes }) =>
    writes.length > 1
      ? []
      : writes
          .filter(
            ({ kind, path }) => kind === 'created' && /\/sharding\/\d+\/(running|failovering|failover)$/.test(path),
          )
          .map(({ path, data }) => ({ path, holder: data, at, over: at })),
  );
}
