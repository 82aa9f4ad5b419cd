import type { MemoryTaskRun } from '@app/elastic-job/testing';

/** Item whose task uses too much memory. */
const HEAVY_ITEM = 2;

/** Program of the tasks of `product-images`. */
export const renderImages: MemoryTaskRun = async ({ clock, order, signal, write }) => {
  write(`renders the images of item ${order.key.item}\n`);
  await clock.sleep(4_000 + 2_000 * order.key.item, signal);
  return order.key.item === HEAVY_ITEM ? { name: 'FAILED', detail: 'exit code 137: out of memory' } : undefined;
};
