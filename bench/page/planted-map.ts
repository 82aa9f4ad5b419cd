import { plantingOf, recordOf } from '@test/support/unit/console-jobs.js';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';

/** The job whose map is measured. */
export const MAP = 'map-of-items';
export const MAP_ITEMS = 1_000;
const INSTANCES = 50;

/** Plants a job of 1,000 items that 50 instances share. Some items run, some have failed or are disabled. */
export async function plantMap(center: RegistryCenter): Promise<void> {
  const every = (count: number) => Array.from({ length: Math.ceil(MAP_ITEMS / count) }, (_, n) => n * count);
  const outcomeOf = (item: number) => (item % 23 === 0 ? 'failed' : 'succeeded');
  const planted = {
    items: MAP_ITEMS,
    config: ['cron: 0 0 2 * * ?'],
    instances: Array.from({ length: INSTANCES }, (_, n) => `10.0.9.${n + 1}@-@${7_000 + n}`),
    records: Object.fromEntries(every(1).map((item) => [item, recordOf(outcomeOf(item), Date.now() - 60_000)])),
    running: every(37),
    disabledItems: every(101),
  };
  await center.transaction(plantingOf(MAP, planted));
}
