import type { DoneAnswer, ShutdownAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, change } from '../api/index.js';
import { askFor, type Change, Panel } from '../parts/index.js';
import { visibleText } from '../text/index.js';
import { words } from './texts.js';

/** The two ends of a job, for an admin. */
export function Ending({ job }: { readonly job: string }) {
  const t = words.value.ending;
  return (
    <Panel title={t.title}>
      <div class="side-panel">
        <p class="dim">{t.more}</p>
        <div class="send-buttons">
          <button type="button" class="btn danger" onClick={() => askFor(shutDown(job))}>
            {t.shutdown.name} …
          </button>
          <button type="button" class="btn danger" onClick={() => askFor(remove(job))}>
            {t.remove.name} …
          </button>
        </div>
      </div>
    </Panel>
  );
}

function shutDown(job: string): Change {
  const { became, cannot, name, title, will } = words.peek().ending.shutdown;
  return {
    title: title(visibleText(job)),
    name,
    will,
    cannot,
    isDangerous: true,
    look: ['jobs', job],
    send: async ({ reason }) => {
      const path = apiPath('jobs', job, 'shutdown');
      const { audit, instances } = await change<ShutdownAnswer>('POST', path, { body: { reason } });
      return { text: became(instances.length), audit };
    },
  };
}

function remove(job: string): Change {
  const { became, cannot, name, title, will } = words.peek().ending.remove;
  return {
    title: title(visibleText(job)),
    name,
    will,
    cannot,
    isDangerous: true,
    typed: job,
    look: ['jobs'],
    send: async ({ reason }) => {
      const { audit, note } = await change<DoneAnswer>('DELETE', apiPath('jobs', job), { body: { name: job, reason } });
      return { text: became, note, audit };
    },
  };
}
