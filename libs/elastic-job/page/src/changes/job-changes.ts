/** Changes of a job, as the dialog of `parts/change.tsx` takes them. Each says in its texts what it does. */
import type { ResignAnswer, ShutdownAnswer, TriggerAnswer } from '../../../src/console/contract/answers.js';
import type { DisabledBy, JobRow } from '../../../src/console/contract/job-answers.js';
import { apiPath, change } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts, visibleText } from '../text/index.js';
import { changeBy } from './change-by.js';

type Runnable = Pick<JobRow, 'job' | 'status' | 'resident' | 'instances'>;

/** Says before it is sent if nothing would run. */
export function triggerJob({ instances, job, resident, status }: Runnable): Change {
  const t = texts.peek().changes.trigger;
  const idle =
    status === 'DISABLED' ? 'disabled' : resident ? 'resident' : instances === 0 ? ('no-instance' as const) : undefined;
  return {
    title: t.title(job),
    name: t.name,
    will: idle === undefined ? t.will(instances) : [t.skipped[idle]],
    cannot: idle === undefined ? t.cannot : [],
    field: { label: t.parameters, hint: t.parametersHint },
    look: ['jobs', job],
    send: async ({ field: parameters, reason }) => {
      const path = apiPath('jobs', job, 'trigger');
      const answer = await change<TriggerAnswer>('POST', path, { body: { reason, parameters } });
      const { asked, audit, pending, skipped } = answer;
      const text = skipped === null ? t.became(asked.length, pending.length) : t.skipped[skipped];
      return { text, audit, isWarning: skipped !== null };
    },
  };
}

/** Says first who has disabled it, and why. */
export function enableJob(job: string, disabled?: DisabledBy | null): Change {
  const t = texts.peek().changes.enable;
  const title = t.title(job);
  return changeBy({ ...afterWhy(t, disabled), title, path: apiPath('jobs', job, 'enable'), look: ['jobs', job] });
}

/** The words of a change, after who has disabled what it enables. */
export function afterWhy<Words extends { readonly will: readonly string[] }>(
  words: Words,
  disabled: DisabledBy | null | undefined,
): Words {
  const { by = null, reason = null } = disabled ?? {};
  if (by === null) return words;
  return { ...words, will: [visibleText(texts.peek().changes.disabledBy(by, reason)), ...words.will] };
}

export function disableJob(job: string): Change {
  const t = texts.peek().changes.disable;
  return changeBy({ ...t, title: t.title(job), path: apiPath('jobs', job, 'disable'), look: ['jobs', job] });
}

export function reshardJob(job: string): Change {
  const t = texts.peek().changes.reshard;
  return changeBy({ ...t, title: t.title(job), path: apiPath('jobs', job, 'reshard'), look: ['jobs', job] });
}

/** @param leader id of the instance that leads */
export function resignJob(job: string, leader: string | null): Change {
  const t = texts.peek().changes.resign;
  return changeBy<ResignAnswer>({
    ...t,
    title: t.title(job),
    will: t.will(leader === null ? null : visibleText(leader)),
    became: ({ instance }) => t.became(instance),
    path: apiPath('jobs', job, 'resign'),
    look: ['jobs', job],
  });
}

/** @param instances number of those that will leave */
export function shutdownJob(job: string, instances: number): Change {
  const t = texts.peek().changes.shutdown;
  return changeBy<ShutdownAnswer>({
    ...t,
    title: t.title(job),
    will: t.will(instances),
    became: ({ instances: asked }) => t.became(asked.length),
    isDangerous: true,
    typed: job,
    path: apiPath('jobs', job, 'shutdown'),
    look: ['jobs', job],
  });
}

/** @param onDone called once it is removed */
export function removeJob(job: string, onDone: () => void): Change {
  const t = texts.peek().changes.remove;
  return changeBy({
    ...t,
    title: t.title(job),
    isDangerous: true,
    typed: job,
    method: 'DELETE',
    path: apiPath('jobs', job),
    body: { name: job },
    look: ['jobs'],
    onDone,
  });
}
