import { describe, expect, it } from 'vitest';
import { CONSOLE_ROLES } from '../contract/index.js';
import { CONSOLE_ROUTES } from './console-routes.js';

/** Routes as they are promised, with the least role that may. */
const PROMISED = `
POST /session anybody
GET /session anybody
DELETE /session anybody
GET /overview viewer
GET /live viewer
GET /openapi.json viewer
GET /jobs viewer
GET /jobs/:job viewer
GET /jobs/:job/items viewer
GET /jobs/:job/items/:item viewer
GET /jobs/:job/fire-times viewer
GET /jobs/:job/executions viewer
GET /jobs/:job/failover viewer
GET /jobs/:job/reruns viewer
GET /jobs/:job/dump viewer
GET /jobs/:job/config viewer
GET /runs viewer
GET /runs/:id viewer
GET /events viewer
GET /missed viewer
GET /jobs/:job/history viewer
GET /jobs/:job/statistics viewer
GET /jobs/:job/items/:item/why viewer
GET /servers viewer
GET /servers/:ip viewer
GET /audit operator
POST /jobs/:job/trigger operator
POST /jobs/:job/reruns operator
DELETE /jobs/:job/reruns/:rerun operator
POST /jobs/:job/enable operator
POST /jobs/:job/disable operator
POST /jobs/:job/reshard operator
POST /jobs/:job/resign operator
POST /jobs admin
POST /jobs/:job/shutdown admin
DELETE /jobs/:job admin
PATCH /jobs/:job/config operator
POST /jobs/:job/items/:item/enable operator
POST /jobs/:job/items/:item/disable operator
POST /jobs/:job/items/:item/cancel operator
POST /jobs/:job/items/:item/confirm-lost admin
POST /servers/:ip/enable operator
POST /servers/:ip/disable operator
POST /servers/:ip/jobs/:job/enable operator
POST /servers/:ip/jobs/:job/disable operator
POST /servers/:ip/shutdown admin
DELETE /servers/:ip admin
`;

describe('the routes', () => {
  it('are those that are promised, each for the role that may', () => {
    const routes = CONSOLE_ROUTES.map(({ method, path, role }) => `${method} ${path} ${role}`);
    expect(routes.toSorted()).toEqual(PROMISED.trim().split('\n').toSorted());
  });

  it.each(CONSOLE_ROUTES)('$method $path has a role, and only a session is for anybody', ({ path, role }) => {
    expect(path === '/session' ? ['anybody'] : CONSOLE_ROLES).toContain(role);
  });

  it.each(CONSOLE_ROUTES)('$method $path is a change just if it is not asked by GET, but for a session', (route) => {
    expect(route.isChange).toBe(route.method !== 'GET' && route.path !== '/session');
  });

  it.each(CONSOLE_ROUTES.filter(({ isChange }) => isChange))('$method $path takes a reason', ({ body }) => {
    expect(Object.keys(body ?? {})).toContain('reason');
  });

  it.each(CONSOLE_ROUTES.filter(({ isChange, path }) => isChange && !path.includes(':job') && path !== '/jobs'))(
    '$method $path reaches beyond a job prefix, and says so',
    ({ beyondPrefix }) => {
      expect(beyondPrefix).toBe(true);
    },
  );
});
