/** Changes of a server: in all of its jobs, or in one. */
import type { ShutdownAnswer } from '../../../src/console/contract/answers.js';
import { apiPath } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { texts } from '../text/index.js';
import { changeBy } from './change-by.js';

export function enableServer(ip: string): Change {
  const t = texts.peek().changes.enableServer;
  return changeBy({ ...t, title: t.title(ip), path: apiPath('servers', ip, 'enable'), look: ['servers', ip] });
}

export function disableServer(ip: string): Change {
  const t = texts.peek().changes.disableServer;
  return changeBy({ ...t, title: t.title(ip), path: apiPath('servers', ip, 'disable'), look: ['servers', ip] });
}

export function enableJobOnServer(job: string, ip: string): Change {
  const t = texts.peek().changes.enableJobOnServer;
  const path = apiPath('servers', ip, 'jobs', job, 'enable');
  return changeBy({ ...t, title: t.title(job, ip), path, look: ['servers', ip] });
}

export function disableJobOnServer(job: string, ip: string): Change {
  const t = texts.peek().changes.disableJobOnServer;
  const path = apiPath('servers', ip, 'jobs', job, 'disable');
  return changeBy({ ...t, title: t.title(job, ip), path, look: ['servers', ip] });
}

/** @param instances number of those that will be taken out */
export function shutdownServer(ip: string, instances: number): Change {
  const t = texts.peek().changes.shutdownServer;
  return changeBy<ShutdownAnswer>({
    ...t,
    title: t.title(ip),
    will: t.will(instances),
    became: ({ instances: out }) => t.became(out.length),
    isDangerous: true,
    typed: ip,
    path: apiPath('servers', ip, 'shutdown'),
    look: ['servers', ip],
  });
}

/** @param instances number of those that will be taken out @param onDone called once it is removed */
export function removeServer(ip: string, instances: number, onDone: () => void): Change {
  const t = texts.peek().changes.removeServer;
  return changeBy({
    ...t,
    title: t.title(ip),
    will: t.will(instances),
    isDangerous: true,
    typed: ip,
    method: 'DELETE',
    path: apiPath('servers', ip),
    look: ['servers'],
    onDone,
  });
}
