import { enabledItems, existence } from '../calm.js';
import { indexOf, type History } from '../history.js';
import { cancels } from './cancels.js';
import { DISTURBED } from './invariant.js';
import { timeouts } from './limits.js';
import { shutdowns } from './shutdowns.js';
import { itemKey, timeOf, type Violation } from './invariant.js';

/** 10. No run mixes two configurations, and all use the newest one after everything has settled. */
export function check10ConfigConvergence(history: History): Violation[] {
  const written = new Set<string>();
  const violations: Violation[] = [];
  for (const { writes } of history.commits) {
    for (const { kind, path, data } of writes) {
      const { jobName, node } = history.nodeOf(path);
      if (node.kind !== 'config' || kind === 'deleted') continue;
      const { jobParameter, shardingTotalCount } = history.settingsOf(jobName, data).configuration;
      written.add(`${jobName} ${jobParameter} ${shardingTotalCount}`);
    }
  }
  for (const { at, jobName, parameter, total, run } of history.runs) {
    history.judges(10);
    if (written.has(`${jobName} ${parameter} ${total}`)) continue;
    violations.push({
      at,
      message: `run ${run} of ${jobName} mixes ${parameter} with a total of ${total}`,
      about: `"run":${run}`,
    });
  }
  for (const { jobName, from, to, configuration } of history.calmJobs) {
    const stale = history.runs.find(
      (run) => run.jobName === jobName && run.at > from && run.at < to && run.parameter !== configuration.jobParameter,
    );
    if (stale === undefined) continue;
    const message = `run ${stale.run} of ${jobName} went by ${stale.parameter}, not ${configuration.jobParameter}`;
    violations.push({ at: stale.at, message, about: `"run":${stale.run}` });
  }
  return violations;
}

/**
 * 11. A disabled item is not begun. An operator's trigger begins items once. A cancel ends its run, and no other. An
 * instance that an operator takes out of a job obeys. A run that takes too long ends.
 */
export function check11ControlIsHonoured(history: History): Violation[] {
  return [
    ...disabledItems(history),
    ...triggers(history),
    ...cancels(history),
    ...shutdowns(history),
    ...timeouts(history),
  ];
}

/** 12. A leaving instance begins nothing more. Its runs have ended, or were told to, by the deadline. */
export function check12Drain(history: History, drainTimeoutMs = 3_000): Violation[] {
  const deadlineMs = drainTimeoutMs + history.promptMs;
  return history.of('leaving').flatMap(({ instance, at }) =>
    history.runs
      .filter((run) => run.instance === instance)
      .flatMap((run) => {
        history.judges(12);
        // A begin that was under way is run, or given back.
        if (run.at > at + deadlineMs) return [late(run.at, run.run, `began after its instance ${instance} had left`)];
        const until = Math.min(run.endedAt ?? Infinity, run.abortedAt ?? Infinity);
        if (until <= at + deadlineMs) return [];
        return [late(at + deadlineMs, run.run, `was neither ended nor told to when instance ${instance} left`)];
      }),
  );
}

function late(at: number, run: number, what: string): Violation {
  return { at, message: `run ${run} ${what}`, about: `"run":${run}` };
}

function disabledItems(history: History): Violation[] {
  const operations = history.of('operation');
  return operations
    .filter(({ name, outcome }) => name === 'disable item' && outcome === 'done')
    .flatMap(({ at, jobName, item }) => {
      const isEnabling = (operation: (typeof operations)[number]) =>
        operation.name === 'enable item' && operation.jobName === jobName && operation.item === item;
      const enabledAt = operations.find((operation) => isEnabling(operation) && operation.at > at)?.at;
      // An item beyond a smaller total goes with all its nodes. A later item of that number is another one.
      const isEnd = (write: { readonly kind: string; readonly at: number }) =>
        write.kind === 'deleted' && write.at > at;
      const goneAt = history.writesTo(`/${jobName}/sharding/${item}`).find(isEnd)?.at ?? Infinity;
      const until = Math.min(enabledAt ?? history.closingAt, goneAt);
      return (
        history.begins
          .filter((begin) => begin.jobName === jobName && begin.item === item && !begin.isClaim)
          .filter((begin) => begin.at > at + history.promptMs && begin.at < until)
          // Earlier assignments may have waited in a process that stood still, or on their way.
          .filter((begin) =>
            history.judges(11, !history.isSteady(indexOf(begin.record.by), at, begin.at - at) && DISTURBED),
          )
          .map(({ at: begunAt, zxid }) => ({
            at: begunAt,
            message: `${itemKey(jobName, item!)} was begun although it is disabled since ${timeOf(at)}`,
            about: zxid.toString(16),
          }))
      );
    });
}

function triggers(history: History): Violation[] {
  const asked = history.of('operation').filter(({ name, outcome }) => name === 'trigger' && outcome === 'done');
  return asked.flatMap(({ at, jobName, id }) => {
    const job = history.calmJobs.find(
      (calm) => calm.jobName === jobName && calm.from < at && at + history.turnMs(jobName) + history.promptMs < calm.to,
    );
    if (
      !history.judges(11, job === undefined && 'a request of an operator while something was disturbed') ||
      job === undefined ||
      job.configuration.resident ||
      !history.isMonitored(jobName) ||
      history.treeAt(at).has(`/${jobName}/leader/sharding/necessary`) ||
      job.members.some((member) => isBehindAnother(history, `/${jobName}/trigger/${member}`, at, id))
    )
      return [];
    return enabledItems(job).flatMap((item) => {
      const count = history.begins.filter(
        ({ jobName: begun, item: one, isClaim, record }) =>
          begun === jobName && one === item && !isClaim && record.target.origin === `manual:${id}`,
      ).length;
      if (count === 1) return [];
      return [{ at, message: `trigger ${id} began ${itemKey(jobName, item)} ${count} times`, about: id ?? jobName }];
    });
  });
}

// True if an instance had yet to take an earlier request. It was not asked for this run, and the operator was told.
function isBehindAnother(history: History, path: string, at: number, id = ''): boolean {
  if (history.writesTo(path).some(({ kind, data }) => kind === 'created' && data.includes(id))) return false;
  return existence(history, path).some(({ from, to }) => from < at && to > at - history.promptMs);
}
