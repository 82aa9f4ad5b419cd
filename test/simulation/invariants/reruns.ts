import { owesAfter, parseRerun, parseRunRecord, rerunIdOf } from '../../../libs/elastic-job/src/domain/index.js';
import { dueTimes } from '../calm.js';
import type { History } from '../history.js';
import { endedIn, type RerunStep, rerunStepsOf } from '../rerun-steps.js';
import { DISTURBED, itemKey, timeOf, type Violation } from './invariant.js';

/**
 * 36. A re-run leaves the schedule alone: it neither pays nor makes a debt of the item, does not touch its checkpoint,
 * and does not count for the jobs that start after its job.
 */
export function check36ScheduleIsLeftAlone(history: History): Violation[] {
  const { checkpointWrites, steps } = rerunStepsOf(history);
  const runs = new Map(history.runs.map((run) => [run.run, run]));
  return [
    ...steps.flatMap((step): Violation[] => {
      const { before, record } = step;
      const [owed, owes] = [owesAfter(before), owesAfter({ kind: 'record', record })];
      // The record of an item that a smaller total has ended is elsewhere.
      const isUnknown = before.kind === 'none' && 'the item had no record';
      const isNothing = owed === undefined && 'nobody knew what the item owed';
      // An instant that is still to come is taken back, whatever begins next.
      const isAhead = owed !== undefined && owed > step.commit.at && 'a clock that ran ahead had begun it';
      if (!history.judges(36, isUnknown || isNothing || isAhead)) return [];
      return owed === owes ? [] : [violation(step, `owes what came after ${textOf(owes)}, not ${textOf(owed)}`)];
    }),
    ...steps.filter(isCounted).map((step) => violation(step, 'was counted for the jobs that start after it')),
    ...checkpointWrites.flatMap(({ commit, isOfRerun: isRerun, jobName, item }): Violation[] => {
      history.judges(36);
      const message = `a re-run of ${itemKey(jobName, item)} has written its checkpoint`;
      return isRerun ? [{ at: commit.at, message, about: commit.zxid.toString(16) }] : [];
    }),
    ...history.of('loaded').flatMap(({ at, run, savedBy }): Violation[] => {
      const { origin, jobName, item } = runs.get(run)!;
      const message = `re-run ${run} of ${itemKey(jobName, item)} has loaded the checkpoint of run ${savedBy}`;
      return rerunIdOf(origin) === undefined ? [] : [{ at, message, about: `"run":${run}` }];
    }),
  ];
}

/** True if it is the only end of its job's runs in a transaction that counts ends for other jobs. */
function isCounted({ commit: { writes }, kind, jobName }: RerunStep): boolean {
  const settles = ({ path, data }: { readonly path: string; readonly data: string }) =>
    path.startsWith(`/${jobName}/sharding/`) && path.endsWith('/record') && data.includes('"settled":');
  const counts = writes.some(({ path }) => path === `/${jobName}/dependents` || path.endsWith('/after'));
  return kind === 'end' && counts && writes.filter(settles).every(({ data }) => data.includes('"origin":"rerun:'));
}

/**
 * 37. An item runs the fire times of a re-run from the oldest to the newest, those of the first re-run first. Each of
 * them ends once: it is begun again only if its run was not settled.
 */
export function check37RerunInOrder(history: History): Violation[] {
  const older = olderSessions(history);
  const ended = new Set<string>();
  return rerunStepsOf(history).steps.flatMap((step): Violation[] => {
    const { ended: count, first, id, isClaim, kind, record, rerun } = step;
    const { fireTime } = record.target;
    const target = `${itemKey(step.jobName, step.item)} ${id} ${fireTime}`;
    const hasEnded = ended.has(target);
    if (kind === 'end' && older.has(step.commit.session)) return []; // Nothing shows it once the item has run again.
    if (kind === 'end') ended.add(target);
    history.judges(37);
    if (hasEnded) return [violation(step, kind === 'end' ? 'has ended twice' : 'was begun again after its end')];
    if (kind === 'end' || isClaim || rerun === undefined) return [];
    if (first !== id) return [violation(step, `was begun before those of ${first ?? 'none'}`)];
    const next = rerun.fireTimes[count];
    return next === fireTime ? [] : [violation(step, `was begun, and ${textOf(next)} is next`)];
  });
}

/** 38. The progress of an item with a re-run is written by the transaction that settles its target, and by no other. */
export function check38ProgressWithSettle(history: History): Violation[] {
  const { progressWrites, steps } = rerunStepsOf(history);
  const older = olderSessions(history);
  const ends = steps.filter(({ kind }) => kind === 'end');
  const isPartOf = (step: RerunStep, commit: unknown, jobName: string, item: number, id: string) =>
    step.commit === commit && step.jobName === jobName && step.item === item && step.id === id;
  return [
    ...ends.flatMap((step): Violation[] => {
      const { endedThen, record, rerun } = step;
      const isOver = rerun === undefined || rerun.withdrawn === true;
      if (!history.judges(38, (isOver && 'the re-run was withdrawn') || (older.has(step.commit.session) && OLDER)))
        return [];
      const place = rerun!.fireTimes.indexOf(record.target.fireTime) + 1;
      return endedThen === place ? [] : [violation(step, `ended, and the registry has ${endedThen} of ${place} ends`)];
    }),
    ...progressWrites.flatMap(({ before, commit, ended, fireTime, id, item, jobName }): Violation[] => {
      const isSettled = ends.some((step) => isPartOf(step, commit, jobName, item, id));
      const isRepair =
        before.kind === 'record' &&
        before.record.settled !== undefined &&
        before.record.target.fireTime === fireTime &&
        rerunIdOf(before.record.target.origin) === id &&
        ends.some(({ commit: { session }, record }) => record.run === before.record.run && older.has(session));
      const message = `the progress ${ended} of ${itemKey(jobName, item)} was written apart from its settle`;
      return isSettled || isRepair ? [] : [{ at: commit.at, message, about: commit.zxid.toString(16) }];
    }),
  ];
}

/**
 * 39. No fire time of a re-run is begun after the re-run was withdrawn, beside an instance that cannot run re-runs, or
 * while the item owes a fire time of its schedule.
 */
export function check39RerunMayBegin(history: History): Violation[] {
  return rerunStepsOf(history)
    .steps.filter(({ isClaim, kind }) => kind === 'begin' && !isClaim)
    .flatMap((step) => [
      ...afterWithdrawal(history, step),
      ...besideOlder(history, step),
      ...beforeOwed(history, step),
    ]);
}

function afterWithdrawal(history: History, step: RerunStep): Violation[] {
  const { rerun } = step;
  history.judges(39);
  return rerun === undefined || rerun.withdrawn === true ? [violation(step, 'was begun after the withdrawal')] : [];
}

function besideOlder(history: History, step: RerunStep): Violation[] {
  const {
    commit: { at },
    instance,
    unable,
  } = step;
  return unable
    .filter(({ since }) => since < at - history.promptMs)
    .filter(({ since }) => history.judges(39, !history.isSteady(instance, since, at - since) && DISTURBED))
    .map(({ id }) => violation(step, `was begun beside ${id}, which cannot`));
}

/** Judged in calm times: else the owner may not know yet what the item owes. */
function beforeOwed(history: History, step: RerunStep): Violation[] {
  const {
    commit: { at },
    item,
    jobName,
  } = step;
  const calm = history.calmItems.find(
    ({ job, item: one }) => job.jobName === jobName && one === item && job.from < at && at < job.to,
  );
  if (calm === undefined) return [];
  const { job } = calm;
  if (job.configuration.misfirePolicy === 'skip') return [];
  const slack = history.promptMs + job.skewMs;
  const begun = calm.begins.filter((begin) => begin.at < at && begin.record.target.origin === 'schedule');
  const last = Math.max(job.from, ...begun.map(({ record }) => record.target.fireTime));
  const [owed] = dueTimes(job.schedule, last, at - slack);
  return owed === undefined ? [] : [violation(step, `was begun before ${timeOf(owed)}, which the item owes`)];
}

/**
 * 40. No re-run is forgotten: in the end all are done or withdrawn, and nothing of them is left. Only an item that its
 * schedule never leaves free comes to none.
 */
export function check40RerunsAreDone(history: History): Violation[] {
  const at = history.closingAt;
  const tree = history.treeAt(at);
  return rerunsIn(history).flatMap(({ id, jobName }): Violation[] => {
    const path = `/${jobName}/reruns/${id}`;
    const rerun = parseRerun(tree.get(path)?.data ?? '');
    if (rerun === undefined) return history.judges(40) && !tree.has(path) ? [] : [left(at, id, jobName)];
    const { configuration, schedule } = history.settingsOf(jobName, tree.get(`/${jobName}/config`)!.data);
    const items = rerun.items
      .filter((item) => item < configuration.shardingTotalCount)
      .filter((item) => endedIn(tree.get(`${path}/${item}`)?.data) < rerun.fireTimes.length);
    const isBehind = items.length > 0 && items.every((item) => owedAt(history, jobName, item, schedule).length > 1);
    const isExcused = isBehind && rerun.withdrawn !== true;
    return history.judges(40, isExcused && 'its items were behind their schedule until the end')
      ? [left(at, id, jobName)]
      : [];
  });
}

function rerunsIn(history: History): readonly { readonly id: string; readonly jobName: string }[] {
  return history.commits.flatMap(({ writes }) =>
    writes.flatMap(({ kind, path }) => {
      const { jobName, node } = history.nodeOf(path);
      return kind === 'created' && node.kind === 'rerun' ? [{ id: node.id, jobName }] : [];
    }),
  );
}

function left(at: number, id: string, jobName: string): Violation {
  return { at, message: `re-run ${id} of ${jobName} is left`, about: id };
}

/** Fire times that an item owes in the end. */
function owedAt(history: History, jobName: string, item: number, schedule: Parameters<typeof dueTimes>[0]): number[] {
  const at = history.closingAt;
  const record = history.treeAt(at).get(`/${jobName}/sharding/${item}/record`)?.data ?? '';
  const since = owesAfter(parseRunRecord(record));
  return since === undefined ? [] : dueTimes(schedule, since, at);
}

const OLDER = 'an instance of an earlier release has ended it';

/** Sessions of processes that know no re-runs. */
function olderSessions(history: History): ReadonlySet<string> {
  const older = new Set(history.of('process').flatMap(({ instance, isOlder }) => (isOlder ? [instance] : [])));
  return new Set(history.of('session').flatMap(({ instance, session }) => (older.has(instance) ? [session] : [])));
}

function violation({ commit, id, item, jobName, record }: RerunStep, what: string): Violation {
  const target = `${itemKey(jobName, item)} for ${timeOf(record.target.fireTime)} of re-run ${id}`;
  return { at: commit.at, message: `${target} ${what}`, about: commit.zxid.toString(16) };
}

function textOf(at: number | undefined): string {
  return at === undefined ? 'nothing' : timeOf(at);
}
