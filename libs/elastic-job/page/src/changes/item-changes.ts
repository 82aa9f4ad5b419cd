/** Changes of an item of a job. */
import type { CancelAnswer } from '../../../src/console/contract/answers.js';
import type { DisabledBy } from '../../../src/console/contract/job-answers.js';
import { apiPath } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts } from '../text/index.js';
import { changeBy } from './change-by.js';
import { afterWhy } from './job-changes.js';

/** Says first who has disabled it, and why. */
export function enableItem(job: string, item: number, disabled?: DisabledBy | null): Change {
  const t = texts.peek().changes.enableItem;
  const path = pathOf(job, item, 'enable');
  return changeBy({ ...afterWhy(t, disabled), title: t.title(job, item), path, look: ['jobs', job] });
}

export function disableItem(job: string, item: number): Change {
  const t = texts.peek().changes.disableItem;
  return changeBy({ ...t, title: t.title(job, item), path: pathOf(job, item, 'disable'), look: ['jobs', job] });
}

export function cancelItem(job: string, item: number): Change {
  const t = texts.peek().changes.cancelItem;
  return changeBy<CancelAnswer>({
    ...t,
    title: t.title(job, item),
    became: ({ instance }) => t.became(instance),
    isDangerous: true,
    path: pathOf(job, item, 'cancel'),
    look: ['jobs', job],
  });
}

export function confirmLost(job: string, item: number): Change {
  const t = texts.peek().changes.confirmLost;
  return changeBy({
    ...t,
    title: t.title(job, item),
    isDangerous: true,
    path: pathOf(job, item, 'confirm-lost'),
    look: ['jobs', job],
  });
}

function pathOf(job: string, item: number, action: string): string {
  return apiPath('jobs', job, 'items', item, action);
}
