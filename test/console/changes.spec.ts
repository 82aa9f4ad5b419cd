import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { CONSOLE_ROUTES, MemoryAuditStore } from '../../libs/elastic-job/src/console/index.js';
import { AUTH, FRAMEWORKS, ReportTemplate, SettlingJobs, startConsole, TOKENS } from './support/console-application.js';
import { treeOf } from './support/tree.js';

const CHANGES = CONSOLE_ROUTES.filter(({ isChange }) => isChange);
const JOB = 'settle-orders';
const BODIES: Readonly<Record<string, object>> = {
  'PATCH /jobs/:job/config': { settings: { cron: '0 0 4 * * ?' } },
  'POST /jobs/:job/reruns': { items: [0], fireTimes: ['2026-11-22T02:00:00Z'], anyTime: true },
  'POST /jobs': { name: 'made', template: 'report', settings: { cron: '0 0 6 * * ?', shardingTotalCount: 1 } },
  'DELETE /jobs/:job': { name: JOB },
};

/** A request that an admin could make. */
function requestOf({ method, path }: { method: string; path: string }, job = JOB) {
  const url = path.replace(':job', job).replace(':item', '0').replace(':ip', '127.0.0.1').replace(':rerun', 'none');
  return { method, url, body: BODIES[`${method} ${path}`] ?? {} };
}

/** Notes the versions of settings that were seen in the registry, and that an entry explains. */
class ExplainingStore extends MemoryAuditStore {
  readonly explained: string[] = [];

  override async has(key: string): Promise<boolean> {
    const isThere = await super.has(key);
    if (isThere) this.explained.push(key);
    return isThere;
  }
}

/** An application whose jobs rest: nothing is written any more unless somebody asks for it. */
async function startResting(parts: Parameters<typeof startConsole>[0]) {
  const console = await startConsole(parts);
  await vi.waitFor(async () => {
    const { json } = await console.ask('GET', '/jobs');
    expect(json.items.map((row: { leader: string | null }) => typeof row.leader)).toEqual(['string', 'string']);
  }, 15_000);
  return console;
}

describe.each(FRAMEWORKS)('a change on %s', { timeout: 120_000 }, (framework) => {
  it('that its caller may not make is refused on each route, and nothing changes', async () => {
    const { app, ask } = await startResting({ framework });
    const before = await treeOf(app);
    const foreign = { origin: 'https://evil.example' };
    for (const route of CHANGES) {
      const { body, method, url } = requestOf(route);
      const statusAs = async (token: string, headers = {}) => (await ask(method, url, { token, body, headers })).status;
      expect({
        route: `${method} ${route.path}`,
        none: await statusAs(''),
        forged: await statusAs(`${TOKENS.admin.slice(0, -1)}x`),
        expired: await statusAs(TOKENS.expired),
        viewer: await statusAs(TOKENS.viewer),
        operator: route.role === 'admin' ? await statusAs(TOKENS.operator) : 403,
        // With a prefix there is no other job, and no server can be reached.
        scoped: route.path === '/jobs' ? 404 : await statusAs(TOKENS.scoped),
        crossSite: await statusAs('', { ...foreign, cookie: `ej_session=${'A'.repeat(43)}` }),
      }).toEqual({
        route: `${method} ${route.path}`,
        none: 401,
        forged: 401,
        expired: 401,
        viewer: 403,
        operator: 403,
        scoped: route.beyondPrefix === true ? 403 : 404,
        crossSite: 403,
      });
    }
    expect(await treeOf(app)).toEqual(before);
    expect(
      (await ask('GET', '/audit')).json.items.filter((one: { outcome: string }) => one.outcome === 'done'),
    ).toEqual([]);
  });

  it('is refused on each route of a console that only reads', async () => {
    const { app, ask } = await startResting({ framework, console: { readOnly: true } });
    const before = await treeOf(app);
    for (const route of CHANGES) {
      const { body, method, url } = requestOf(route);
      expect(await ask(method, url, { body })).toMatchObject({ status: 403, json: { code: 'READ_ONLY' } });
    }
    expect(await treeOf(app)).toEqual(before);
  });

  it('needs JSON that is neither long nor deep, compressed nor of an unknown form', async () => {
    const { app, ask } = await startResting({ framework });
    const before = await treeOf(app);
    const trigger = (body: string | Buffer, type = 'application/json', headers = {}) =>
      ask('POST', `/jobs/${JOB}/trigger`, { body, headers: { 'content-type': type, ...headers } });
    const answers = {
      text: await trigger('{}', 'text/plain'),
      form: await trigger('a=b', 'application/x-www-form-urlencoded'),
      long: await trigger(JSON.stringify({ reason: 'x'.repeat(257 * 1_024) })),
      deep: await trigger(`${'['.repeat(10_000)}${']'.repeat(10_000)}`),
      cut: await trigger('{"reason":'),
      list: await trigger('[]'),
      prototype: await trigger('{"__proto__":{"role":"admin"}}'),
      unknown: await trigger('{"reson":"x"}'),
      gzip: await trigger(gzipSync('{}'), 'application/json', { 'content-encoding': 'gzip' }),
    };
    const statuses = Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]));
    expect(statuses).toEqual({
      text: 415,
      form: 415,
      long: 413,
      deep: 400,
      cut: 400,
      list: 400,
      prototype: 400,
      unknown: 400,
      // Fastify's own parser takes it for JSON.
      gzip: framework === 'express' ? 415 : 400,
    });
    for (const { headers, json } of Object.values(answers)) {
      expect(headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
      expect(json).toMatchObject({ type: expect.stringContaining('urn:elastic-job:problem:') });
    }
    expect(await treeOf(app)).toEqual(before);
  });

  it('that two people make of one version is made once', async () => {
    const { ask } = await startResting({ framework });
    const { headers } = await ask('GET', `/jobs/${JOB}/config`);
    const change = (cron: string) =>
      ask('PATCH', `/jobs/${JOB}/config`, {
        body: { settings: { cron } },
        headers: { 'if-match': headers.get('etag')! },
      });
    const first = await change('0 0 4 * * ?');
    const second = await change('0 0 5 * * ?');

    expect([first.status, second.status, second.json.code]).toEqual([200, 412, 'CHANGED']);
    expect((await ask('GET', `/jobs/${JOB}/config`)).json.settings.cron).toBe('0 0 4 * * ?');
  });

  it('is not made while the audit cannot be written', async () => {
    const away = async (): Promise<never> => {
      throw new Error('the disk is full');
    };
    const audit = {
      open: async () => [],
      add: away,
      settle: away,
      addOnce: away,
      has: away,
      read: away,
      lastSwitches: away,
      close: async () => {},
    };
    const { app, ask } = await startResting({ framework, console: { audit } });
    const before = await treeOf(app);
    const answer = await ask('POST', `/jobs/${JOB}/trigger`, { body: {} });

    expect(answer).toMatchObject({ status: 503, json: { code: 'AUDIT_AWAY' } });
    expect(answer.text).not.toContain('disk');
    expect(await treeOf(app)).toEqual(before);
  });

  it('needs a reason where the console asks for one, which the audit keeps (A14)', async () => {
    const { ask } = await startResting({ framework, console: { requireReason: true } });
    const trigger = (body: object) => ask('POST', `/jobs/${JOB}/trigger`, { body });

    expect(await trigger({})).toMatchObject({ status: 400, json: { fields: [{ field: 'reason' }] } });
    const { headers } = await trigger({ reason: 'INC-1\r\nx-forged: 1' });
    expect(headers.get('x-forged')).toBeNull();
    await trigger({ reason: 'INC-1' });
    const { json } = await ask('GET', '/audit');
    expect(json.items[0]).toMatchObject({ reason: 'INC-1', who: 'admin', outcome: 'done' });
  });
});

describe('the options of the console', () => {
  it('show nothing secret when they are wrong', async () => {
    const auth = { ...AUTH, tokens: [{ name: 'x', role: 'admin' as const, sha256: 'my plain secret' }] };
    await expect(startConsole({ console: { auth } })).rejects.toThrow(/auth\.tokens\[0\]\.sha256/);
    await expect(startConsole({ console: { auth } })).rejects.not.toThrow(/my plain secret/);
  });
});

it('a switch of a whole job stands in the audit once, and not as a change of settings from outside too', async () => {
  const audit = new ExplainingStore();
  const { ask } = await startResting({ console: { audit } });
  const before = (await ask('GET', '/jobs/settle-orders')).json.configVersion;
  await ask('POST', '/jobs/settle-orders/disable', { body: {} });
  await ask('POST', '/jobs/billing-run/enable', { body: {} });

  await vi.waitFor(() => expect(audit.explained).toContain(`["config","settle-orders",${before + 1}]`), 10_000);
  const { items } = (await ask('GET', '/audit')).json;
  expect(items.map((one: { action: string }) => one.action)).toEqual(['job.enable', 'job.disable']);
});

it('two equal changes at the same moment are each answered and written down, and none is half made', async () => {
  const { ask } = await startResting({ providers: [SettlingJobs, ReportTemplate] });
  const ip = (await ask('GET', '/servers')).json.items[0].ip;
  const last = ['DELETE /jobs/:job', 'POST /jobs/:job/shutdown', 'POST /servers/:ip/shutdown', 'DELETE /servers/:ip'];
  const ordered = CHANGES.toSorted((a, b) => placeOf(a) - placeOf(b));
  function placeOf({ method, path }: { method: string; path: string }): number {
    return last.indexOf(`${method} ${path}`);
  }
  for (const route of ordered) {
    const { body, method, url } = requestOf(route);
    const etag = method === 'PATCH' ? (await ask('GET', url)).headers.get('etag')! : '"0"';
    const once = () => ask(method, url.replace('127.0.0.1', ip), { body, headers: { 'if-match': etag } });
    const [one, other] = await Promise.all([once(), once()]);
    const statuses = [one.status, other.status];
    const others = statuses.filter((status) => ![route.status, 404, 409, 412].includes(status));
    expect({ route: `${method} ${route.path}`, others }).toEqual({ route: `${method} ${route.path}`, others: [] });
  }
  const { items } = (await ask('GET', '/audit?limit=200&action=job.config')).json;
  const made = items.filter(({ outcome }: { outcome: string }) => outcome === 'done');
  expect(made).toHaveLength(1);
  const { items: all } = (await ask('GET', '/audit?limit=200')).json;
  expect(all.filter(({ outcome }: { outcome: string }) => outcome === 'intended')).toEqual([]);
});
