import { hasIdleFailover } from './job-configuration.js';
import type { CompleteOptions } from './job-settings.js';
import type { JobOptions } from './job-options.js';
import { findMisfireFault } from './misfire-policy.js';
import { findFault, show } from './option-rules.js';
import { parseShardingItemParameters } from './sharding-item-parameters.js';

/** Contradictions that are accepted, since Java writes them. @see JobOptionsSource */
export interface Accepted {
  readonly surplusItemParameters?: boolean;
  readonly idleFailover?: boolean;
}

/** One text for each pair of options that contradict each other, whatever is wrong with each by itself. */
export function findContradictions(settings: CompleteOptions, accepted: Accepted = {}): readonly string[] {
  return [
    ...findUnbalancedItems(settings),
    ...findResidentFaults(settings),
    ...findIsolationFaults(settings),
    ...findTaskFaults(settings),
    ...findAfterFaults(settings),
    ...[findMisfireFault(settings) ?? []].flat(),
    ...(accepted.surplusItemParameters ? [] : findSurplusItems(settings)),
    ...(accepted.idleFailover ? [] : findIdleFailover(settings)),
  ];
}

/** Silent if count or text are wrong in themselves: the rules report that. */
function findSurplusItems({ shardingItemParameters, shardingTotalCount }: CompleteOptions): string[] {
  const isRead = findFault(() => parseShardingItemParameters(shardingItemParameters)) === undefined;
  if (!isRead || !(shardingTotalCount >= 1)) return [];
  return [...parseShardingItemParameters(shardingItemParameters).keys()]
    .filter((item) => item >= shardingTotalCount)
    .map(
      (item) =>
        `shardingItemParameters must name items from 0 to ${shardingTotalCount - 1} (shardingTotalCount ` +
        `${shardingTotalCount}), but names ${item} in ${show(shardingItemParameters)}`,
    );
}

/** The message names the strategy by its text: the fault is the same whether this process has it or not. */
function findUnbalancedItems({ strategy, shardingTotalCount }: CompleteOptions): string[] {
  const type = typeof strategy === 'object' ? strategy.type : strategy;
  const isSingle = typeof type === 'string' && type.toUpperCase() === 'SINGLE_SHARDING_BALANCE';
  if (!isSingle || shardingTotalCount === 1) return [];
  return [`strategy ${show(type)} needs a shardingTotalCount of 1, but that is ${show(shardingTotalCount)}`];
}

/** Options of a resident job that would stop an item, or let it run twice. */
function findResidentFaults({ resident, cron, concurrency, monitorExecution }: JobOptions): string[] {
  if (resident !== true) return [];
  return [
    ...(cron === undefined ? [] : [`cron must not be given with resident: true, but is ${show(cron)}`]),
    ...(concurrency === undefined
      ? []
      : [`concurrency must not be given with resident: true, but is ${show(concurrency)}: all items run at all times`]),
    ...(monitorExecution === true ? [] : ['monitorExecution must be true with resident: true, but is false']),
  ];
}

/** Without marks, what a crashed instance ran is unknown. Other settings that need marks report it themselves. */
function findIdleFailover(settings: CompleteOptions): string[] {
  if (!hasIdleFailover(settings) || settings.resident || settings.after.length > 0) return [];
  return [
    'failover must not be true with monitorExecution: false, which leaves unknown what a crashed instance ran; ' +
      'leave monitorExecution out, or set failover to false',
  ];
}

/** Options of tasks and threads that contradict each other, or lack their program. */
function findTaskFaults({
  appName,
  executor,
  isolation,
  monitorExecution,
  resources,
  task,
}: CompleteOptions): string[] {
  if (executor === undefined) {
    const given = Object.entries({ appName, resources, task }).find(([, value]) => value !== undefined);
    return given === undefined ? [] : [`${given[0]} is given, but executor is not "task"`];
  }
  const faults = [];
  if (!monitorExecution) faults.push('monitorExecution must be true with executor "task": a record counts launches');
  if (isolation !== undefined) faults.push('isolation must be left out with executor "task": a task is a process');
  return faults;
}

function findIsolationFaults({ isolation, workerModule }: CompleteOptions): string[] {
  if (isolation !== undefined) return workerModule === undefined ? ['workerModule must be given with isolation'] : [];
  return workerModule === undefined ? [] : [`workerModule is given (${show(workerModule)}), but no isolation`];
}

/** Options that would start the job without its parents, or keep a start from running. */
function findAfterFaults({ after, name, cron, resident, misfire, monitorExecution }: CompleteOptions) {
  if (after.length === 0) return [];
  const given = `after: [${after.map(show).join(', ')}]`;
  return [
    ...(after.includes(name) ? [`after must name other jobs, but is [${after.map(show).join(', ')}]`] : []),
    ...(cron === undefined ? [] : [`cron must not be given with ${given}, but is ${show(cron)}`]),
    ...(resident ? [`resident must not be true with ${given}`] : []),
    ...(monitorExecution ? [] : [`monitorExecution must be true with ${given}, but is false`]),
    ...(misfire
      ? []
      : [`misfire must be true with ${given}, but is false: a start that meets busy items waits for them`]),
  ];
}
