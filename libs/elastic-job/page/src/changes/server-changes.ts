/** Changes of a server: in all of its jobs, or in one. */
import type { DoneAnswer, ShutdownAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, change } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts } from '../text/index.js';
import { doneBy } from './job-changes.js';

export function enableServer(ip: string): Change {
  const t = texts.peek().changes.enableServer;
  return doneBy(t.title(ip), t, apiPath('servers', ip, 'enable'), ['servers', ip]);
}

export function disableServer(ip: string): Change {
  const t = texts.peek().changes.disableServer;
  return doneBy(t.title(ip), t, apiPath('servers', ip, 'disable'), ['servers', ip]);
}

export function enableJobOnServer(job: string, ip: string): Change {
  const t = texts.peek().changes.enableJobOnServer;
  return doneBy(t.title(job, ip), t, apiPath('servers', ip, 'jobs', job, 'enable'), ['servers', ip]);
}

export function disableJobOnServer(job: string, ip: string): Change {
  const t = texts.peek().changes.disableJobOnServer;
  return doneBy(t.title(job, ip), t, apiPath('servers', ip, 'jobs', job, 'disable'), ['servers', ip]);
}

/** @param instances number of those that will be taken out */
export function shutdownServer(ip: string, instances: number): Change {
  const { became, cannot, name, title, will } = texts.peek().changes.shutdownServer;
  return {
    title: title(ip),
    name,
    will: will(instances),
    cannot,
    isDangerous: true,
    typed: ip,
    look: ['servers', ip],
    send: async ({ reason }) => {
      const path = apiPath('servers', ip, 'shutdown');
      const { audit, instances: out } = await change<ShutdownAnswer>('POST', path, { body: { reason } });
      return { text: became(out.length), audit };
    },
  };
}

/** @param instances number of those that will be taken out @param onDone called once it is removed */
export function removeServer(ip: string, instances: number, onDone: () => void): Change {
  const { became, cannot, name, title, will } = texts.peek().changes.removeServer;
  return {
    title: title(ip),
    name,
    will: will(instances),
    cannot,
    isDangerous: true,
    typed: ip,
    look: ['servers'],
    onDone,
    send: async ({ reason }) => {
      const { audit, note } = await change<DoneAnswer>('DELETE', apiPath('servers', ip), { body: { reason } });
      return { text: became, note, audit };
    },
  };
}
