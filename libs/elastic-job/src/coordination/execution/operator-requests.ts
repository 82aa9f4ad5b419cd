/**
 * Operators' requests in a job's tree: the trigger that one asks for, those that the leader removes since nobody will
 * take them, and the one that tells a holder of its executor's end.
 */
import { formatCancelRequest, manualOrigin, parseCancelRequest, type Trigger } from '../../domain/index.js';
import { creation, type Operation, type RegistryNode } from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { type Authority, type JobTree, parseTriggerRequest, untilCommitted } from '../job-tree/index.js';

/** Most requests removed at once, because a transaction is limited. */
const MOST_AT_ONCE = 100;

/** Trigger of an operator's request. Java's request has no text, so each instance then uses an id of its own. */
export function requestedTrigger(jobName: string, { data, stat }: RegistryNode): Trigger {
  const { id, parameters } = parseTriggerRequest(data) ?? { id: stat.czxid.toString(), parameters: undefined };
  return { jobName, fireTime: stat.ctime, origin: manualOrigin(id), source: 'NORMAL_TRIGGER', parameters };
}

/**
 * Removes operators' requests for runs whose instances are gone and have not taken them. No other instance runs them.
 * @param gone selects the instances that are gone from those that are not registered, which may come back
 * @returns the removed requests, at most 100: call it again until there are none
 */
export async function removeLostRequests(
  tree: JobTree,
  { guard, signal }: Authority,
  gone: (missing: readonly string[]) => readonly string[],
): Promise<readonly RegistryNode[]> {
  const lost = () => gone(tree.lostRequests()).slice(0, MOST_AT_ONCE);
  const attempt = async (): Promise<readonly RegistryNode[] | undefined> => {
    const paths = lost().map((instanceId) => tree.paths.trigger(instanceId));
    if (!(await tree.load(paths, { signal }))) return undefined;
    const requests = paths.flatMap((path) => tree.node(path) ?? []);
    if (requests.length === 0) return [];
    const removals = paths.flatMap((path) => [...tree.descendants(path), path]);
    const operations = removals.map((path) => ({ kind: 'delete', path }) as const);
    return (await tree.commit([...guard, ...operations], { signal })).kind === 'committed' ? requests : undefined;
  };
  return repeat(untilCommitted(tree, 'removing requests of instances that are gone', signal), attempt);
}

/** Removes requests to cancel runs that are already over. They name their run, so they cannot abort another one. */
export async function removeStaleCancels(tree: JobTree, { guard, signal }: Authority): Promise<void> {
  await repeat(untilCommitted(tree, 'removing requests to cancel', signal), async () => {
    const cancels = tree.cancels();
    const paths = cancels.flatMap((item) => [tree.paths.cancel(item), tree.paths.record(item)]);
    if (!(await tree.load(paths, { signal }))) return undefined;
    const operations = cancels.filter((item) => isOver(tree, item)).map((item) => removal(tree, item));
    if (operations.length === 0) return true;
    const result = await tree.commit([...guard, ...operations], { signal });
    return result.kind === 'committed' || undefined;
  });
}

function isOver(tree: JobTree, item: number): boolean {
  const stored = tree.record(item)?.stored;
  if (stored?.kind !== 'record' || !tree.isRunning(item)) return true;
  const { run } = parseCancelRequest(tree.node(tree.paths.cancel(item))?.data ?? '');
  return stored.record.settled !== undefined || stored.record.run !== run;
}

// Checks the version, as a newer request may have replaced the one that was read.
function removal(tree: JobTree, item: number): Operation {
  const path = tree.paths.cancel(item);
  return { kind: 'delete', path, version: tree.stat(path)?.version };
}

/** Result of an operator's confirmation that an executor is gone. */
export type ConfirmLostOutcome =
  /**
   * The holder is told: the run ends as GONE_BY_OPERATOR, and with failover the item runs again. A run that was told to
   * stop before, and waits for its executor, ends as it was told.
   */
  | { readonly kind: 'requested'; readonly run: string; readonly instanceId: string }
  | { readonly kind: 'not-running' }
  /** A Java instance runs the item and cannot be told. */
  | { readonly kind: 'not-ours'; readonly instanceId: string };

/**
 * Tells the holder of an item that the executor of its run is gone, so that it need not wait any longer. The request
 * names the run and is made against its record.
 */
export function confirmLost(tree: JobTree, item: number): Promise<ConfirmLostOutcome> {
  const { paths, signal } = tree;
  const [mark, request] = [paths.mark(item, 'running'), paths.cancel(item)];
  return repeat(untilCommitted(tree, 'confirming that an executor is gone'), async () => {
    await tree.sync({ signal });
    if (!(await tree.load([mark, request, paths.record(item)], { signal }))) return undefined;
    const instanceId = tree.node(mark)?.data;
    if (instanceId === undefined) return { kind: 'not-running' };
    const { stored, version } = tree.record(item) ?? {};
    if (stored?.kind !== 'record' || stored.record.by !== instanceId) return { kind: 'not-ours', instanceId };
    const { run } = stored.record;
    const { kind } = await tree.commit(
      [
        { kind: 'check', path: paths.record(item), version },
        { kind: 'check', path: mark },
        ...requestOperations(tree, item, formatCancelRequest({ run, isConfirmedLost: true })),
      ],
      { signal },
    );
    return kind === 'committed' ? { kind: 'requested', run, instanceId } : undefined;
  });
}

// Replaces a request to cancel, since there is nothing left to stop.
function requestOperations(tree: JobTree, item: number, text: string): Operation[] {
  const { paths } = tree;
  const path = paths.cancel(item);
  const version = tree.stat(path)?.version;
  if (version !== undefined) return [{ kind: 'set', path, data: text, version }];
  return [...(tree.has(paths.cancels) ? [] : [creation(paths.cancels, '')]), creation(path, text)];
}
