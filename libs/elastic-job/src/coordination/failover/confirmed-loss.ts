import { formatCancelRequest } from '../../domain/index.js';
import { creation, type Operation } from '../../registry/index.js';
import { type JobTree, untilCommitted } from '../job-tree/index.js';
import { repeat } from '../../repeat/index.js';

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
