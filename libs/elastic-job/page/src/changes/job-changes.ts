/** Changes of a job, as the dialog of `parts/change.tsx` takes them. Each says in its texts what it does. */
import type { DoneAnswer, ShutdownAnswer, TriggerAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, change } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts } from '../text/index.js';

interface Texts {
  readonly name: string;
  readonly will: readonly string[];
  readonly cannot: readonly string[];
  readonly became: string;
}

/** A change whose answer is that it is done. @param path of its route */
export function doneBy(title: string, words: Texts, path: string, look: readonly string[]): Change {
  const { became, cannot, name, will } = words;
  return {
    title,
    name,
    will,
    cannot,
    look,
    send: async ({ reason }) => {
      const { audit, note } = await change<DoneAnswer>('POST', path, { body: { reason } });
      return { text: became, note, audit };
    },
  };
}

/** @param instances number of those that will be asked */
export function triggerJob(job: string, instances: number): Change {
  const t = texts.peek().changes.trigger;
  return {
    title: t.title(job),
    name: t.name,
    will: t.will(instances),
    cannot: t.cannot,
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

export function enableJob(job: string): Change {
  const t = texts.peek().changes.enable;
  return doneBy(t.title(job), t, apiPath('jobs', job, 'enable'), ['jobs', job]);
}

export function disableJob(job: string): Change {
  const t = texts.peek().changes.disable;
  return doneBy(t.title(job), t, apiPath('jobs', job, 'disable'), ['jobs', job]);
}

export function reshardJob(job: string): Change {
  const t = texts.peek().changes.reshard;
  return doneBy(t.title(job), t, apiPath('jobs', job, 'reshard'), ['jobs', job]);
}

/** @param instances number of those that will leave */
export function shutdownJob(job: string, instances: number): Change {
  const { became, cannot, name, title, will } = texts.peek().changes.shutdown;
  return {
    title: title(job),
    name,
    will: will(instances),
    cannot,
    isDangerous: true,
    typed: job,
    look: ['jobs', job],
    send: async ({ reason }) => {
      const path = apiPath('jobs', job, 'shutdown');
      const { audit, instances: asked } = await change<ShutdownAnswer>('POST', path, { body: { reason } });
      return { text: became(asked.length), audit };
    },
  };
}

/** @param onDone called once it is removed */
export function removeJob(job: string, onDone: () => void): Change {
  const { became, cannot, name, title, will } = texts.peek().changes.remove;
  return {
    title: title(job),
    name,
    will,
    cannot,
    isDangerous: true,
    typed: job,
    look: ['jobs'],
    onDone,
    send: async ({ reason }) => {
      const body = { name: job, reason };
      const { audit, note } = await change<DoneAnswer>('DELETE', apiPath('jobs', job), { body });
      return { text: became, note, audit };
    },
  };
}
