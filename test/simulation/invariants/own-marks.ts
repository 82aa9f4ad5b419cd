import { existence } from '../calm.js';
import { type History, indexOf, type Interval } from '../history.js';
import { timeOf, type Violation } from './invariant.js';

/** A mark that its holder has forgotten goes within this time of it, in milliseconds: its own check, and the settle. */
const FORGOTTEN_MS = 20_000;

/** A mark of which its holder runs nothing any more. */
interface Forgotten {
  readonly path: string;
  readonly holder: string;
  /** When it was made. */
  readonly at: number;
  /** When what it stood for was over. */
  readonly over: number;
}

/**
 * 26. A mark whose holder lives is of something that it runs, or goes in time once nothing keeps the holder from it.
 */
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
  // A run that is tried again has several handlers, one after the other.
  const last = new Map(history.runs.map((run) => [history.beginOf(run), run]));
  return history.begins.flatMap((begin): Forgotten[] => {
    const { at, jobName, item, record, isClaim } = begin;
    const run = last.get(begin);
    // What is begun waits for a slot; it is settled unrun, or runs.
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

/** Of marks that somebody has made by hand, in the name of an instance. */
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
