import type { Commit, History } from '../history.js';
import { Replay } from '../replay.js';
import type { Violation } from './invariant.js';

/** 9. Leader writes are made only by the session that holds the election node. */
export function check09OneLeaderActs(history: History): Violation[] {
  return leaderWrites(history, ({ commit, jobName, tree }) => {
    history.judges(9);
    const leader = tree.get(`/${jobName}/leader/election/instance`);
    if (leader?.createdBy === commit.session) return undefined;
    return `session ${commit.session} made a plan or a sweep of ${jobName}, and ${leader?.createdBy ?? 'nobody'} leads`;
  });
}

/** 19. No leader's write was decided in an earlier term than the one in which it is committed. */
export function check19NoOldTerm(history: History): Violation[] {
  return leaderWrites(history, ({ commit, jobName, tree }) => {
    history.judges(19);
    const path = `/${jobName}/leader/election/term`;
    const guard = commit.operations.find((operation) => operation.kind === 'check' && operation.path === path);
    const term = tree.get(path)?.version;
    const decidedIn = guard?.kind === 'check' ? (guard.meant ?? guard.version) : undefined;
    if (decidedIn !== undefined && decidedIn === term) return undefined;
    return `a plan or a sweep of ${jobName} of term ${decidedIn ?? 'none'} is in the log in term ${term}`;
  });
}

interface LeaderWrite {
  readonly commit: Commit;
  readonly jobName: string;
  /** The tree before the commit. */
  readonly tree: Replay;
}

function leaderWrites(history: History, judge: (write: LeaderWrite) => string | undefined): Violation[] {
  const tree = new Replay();
  const violations: Violation[] = [];
  for (const commit of history.commits) {
    const jobName = plannedJob(history, commit);
    const message = jobName && judge({ commit, jobName, tree });
    if (message) violations.push({ at: commit.at, message, about: commit.zxid.toString(16) });
    tree.apply(commit);
  }
  return violations;
}

/** The job whose owners a commit has written, or whose orphans it has swept. Undefined if it is no leader's. */
function plannedJob(history: History, { writes, operations }: Commit): string | undefined {
  // An instance that settles or registers removes only its own marks.
  const isOwn = writes.some(({ path }) => path.includes('/instances/'));
  for (const { kind, path } of writes) {
    const { jobName, node } = history.nodeOf(path);
    if (node.kind === 'item-instance' && kind !== 'deleted') return jobName;
    if (node.kind !== 'queued-item' || kind !== 'created' || isOwn) continue;
    // A settle that queues its item ends its own run: it deletes the mark that its session has made.
    const isSettle = operations.some(
      (operation) =>
        operation.kind === 'set' &&
        /"settled":/.test(operation.data) &&
        !/"cause":"overflow"/.test(operation.data) && // A sweep's, or of a run that is not queued.
        operation.path.startsWith(`/${jobName}/sharding/`),
    );
    if (!isSettle) return jobName;
  }
  return undefined;
}
