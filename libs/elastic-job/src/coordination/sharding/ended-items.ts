import {
  endedRunRecord,
  type EndedItems,
  firstRunRecord,
  formatEndedItems,
  parseEndedItems,
  type RecordAuthor,
  withEndedItems,
} from '../../domain/index.js';
import { creation, type Operation, type RequestOptions } from '../../registry/index.js';
import type { JobTree } from '../job-tree/index.js';

/** Contents of the first records of new items. */
export interface NewItems {
  /** Author of their records. Asked only if one is written. */
  readonly author: () => RecordAuthor;
  /** The last start of a job after others, in which a new item takes no part. @default the job has none */
  readonly start?: number;
}

/** Items beyond the total that do not run, ascending: the plan removes them. */
export function surplusItems(tree: JobTree, plan: ReadonlyMap<number, string>): readonly number[] {
  return tree.items().filter((item) => !plan.has(item) && !tree.isRunning(item));
}

/** Loads what `planOperations` needs of items that end, or that are there again. No request if there are none. */
export async function loadEnded(
  tree: JobTree,
  plan: ReadonlyMap<number, string>,
  options: RequestOptions,
): Promise<void> {
  if (isEndedKnown(tree, plan)) return;
  await tree.load([tree.paths.ended], options);
  await tree.loadRecords(surplusItems(tree, plan), options);
}

/** True if the plan can be written: nothing that an ended item was begun for would be overlooked. */
export function isEndedKnown(tree: JobTree, plan: ReadonlyMap<number, string>): boolean {
  const { paths } = tree;
  const surplus = surplusItems(tree, plan);
  if (surplus.some((item) => tree.record(item) === undefined)) return false;
  const isAnyNew = () => [...plan.keys()].some((item) => !tree.has(paths.item(item)));
  return !tree.has(paths.ended) || tree.node(paths.ended) !== undefined || (surplus.length === 0 && !isAnyNew());
}

/** Targets that earlier plans have kept of items that they have ended, if they are loaded. */
export function endedItems(tree: JobTree): EndedItems {
  return parseEndedItems(tree.node(tree.paths.ended)?.data ?? '');
}

/** First record of a new item, as text; empty if it needs none. */
export function newItemText(tree: JobTree, ended: EndedItems, item: number, { author, start }: NewItems): string {
  const former = ended.records.get(item) ?? ended.others;
  if (former === undefined && start === undefined) return '';
  const record = firstRunRecord(former, start, author());
  return record === undefined ? '' : tree.recordText(record);
}

/**
 * Keeps what items were begun for that the plan ends. So it outlives them, also for a clock that is behind. It goes
 * once they are there again, or with the job.
 */
export function endedOperations(
  tree: JobTree,
  before: EndedItems,
  plan: ReadonlyMap<number, string>,
  surplus: readonly number[],
): Operation[] {
  const path = tree.paths.ended;
  const node = tree.node(path);
  // Not loaded, since no item comes or goes.
  if (node === undefined && tree.has(path)) return [];
  const records = surplus.flatMap((item) => {
    const record = endedRunRecord(tree.record(item)?.stored ?? { kind: 'none' });
    return record === undefined ? [] : [[item, record] as const];
  });
  const data = formatEndedItems(withEndedItems(before, records, (item) => plan.has(item)));
  if (node === undefined) return data === '' ? [] : [creation(path, data)];
  const { version } = node.stat;
  if (data === '') return [{ kind: 'delete', path, version }];
  return data === node.data ? [] : [{ kind: 'set', path, data, version }];
}
