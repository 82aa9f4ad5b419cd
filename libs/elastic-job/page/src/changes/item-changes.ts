/** Changes of an item of a job. */
import type { CancelAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, change } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts } from '../text/index.js';
import { doneBy } from './job-changes.js';

export function enableItem(job: string, item: number): Change {
  const t = texts.peek().changes.enableItem;
  return doneBy(t.title(job, item), t, apiPath('jobs', job, 'items', item, 'enable'), ['jobs', job]);
}

export function disableItem(job: string, item: number): Change {
  const t = texts.peek().changes.disableItem;
  return doneBy(t.title(job, item), t, apiPath('jobs', job, 'items', item, 'disable'), ['jobs', job]);
}

export function cancelItem(job: string, item: number): Change {
  const { became, cannot, name, title, will } = texts.peek().changes.cancelItem;
  return {
    title: title(job, item),
    name,
    will,
    cannot,
    isDangerous: true,
    look: ['jobs', job],
    send: async ({ reason }) => {
      const path = apiPath('jobs', job, 'items', item, 'cancel');
      const { audit, instance } = await change<CancelAnswer>('POST', path, { body: { reason } });
      return { text: became(instance), audit };
    },
  };
}

export function confirmLost(job: string, item: number): Change {
  const t = texts.peek().changes.confirmLost;
  const path = apiPath('jobs', job, 'items', item, 'confirm-lost');
  return { ...doneBy(t.title(job, item), t, path, ['jobs', job]), isDangerous: true };
}
