/** Changes of an item of a job. */
import { apiPath } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts } from '../text/index.js';
import { doneBy } from './job-changes.js';

export function enableItem(job: string, item: number): Change {
  const t = texts.peek().changes.enableItem;
  return doneBy(t.title(job, item), t, apiPath('jobs', job, 'items', item, 'enable'), ['jobs', job]);
}

export function confirmLost(job: string, item: number): Change {
  const t = texts.peek().changes.confirmLost;
  const path = apiPath('jobs', job, 'items', item, 'confirm-lost');
  return { ...doneBy(t.title(job, item), t, path, ['jobs', job]), isDangerous: true };
}
