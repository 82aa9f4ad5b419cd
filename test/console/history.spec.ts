import { SqlHistory } from '@app/elastic-job/tracing/sql';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HOUR, MINUTE, PlantedHistory } from '../contract/history/planted-history.js';
import { FRAMEWORKS, startConsole, TOKENS } from './support/console-application.js';

const [A, B] = ['10.0.0.1@-@17-s1', '10.0.0.2@-@17-s2'];
/** Hundreds of requests. */
const LONG = { timeout: 60_000 };
const ROUTES_OF_ALL = ['/runs', '/events', '/missed'];
const ROUTES = [
  ...ROUTES_OF_ALL,
  '/jobs/settle-orders/history',
  '/jobs/settle-orders/statistics',
  '/jobs/settle-orders/items/0/why',
];

/** Texts of an attacker that would change, end or read beyond a statement. */
const INJECTIONS = [
  `' OR '1'='1`,
  `'; DROP TABLE ELASTIC_JOB_RUN; --`,
  `settle-orders' UNION SELECT * FROM JOB_EXECUTION_LOG --`,
  `\\' OR 1=1 #`,
  '%',
  `"; DELETE FROM ELASTIC_JOB_EVENT; --`,
  '1) OR (1=1',
  '\u0000',
];

interface SqliteSwitch {
  isAway: boolean;
}

/** A database of SQLite that can be taken away. */
function database() {
  const state: SqliteSwitch = { isAway: false };
  const real = new Libsql(':memory:');
  const db = new Kysely<unknown>({
    dialect: new SqliteDialect({
      database: {
        close: () => void real.close(),
        prepare: (statement) => {
          if (state.isAway) throw new Error('password authentication failed for user settle');
          return real.prepare(statement);
        },
      },
    }),
  });
  onTestFinished(() => db.destroy());
  return { db, state };
}

/** A console with a history that has a night in it: a crash, a failure, a missed fire time, and others' jobs. */
async function setUp(framework: (typeof FRAMEWORKS)[number]) {
  const { db, state } = database();
  const history = new SqlHistory(db);
  await history.migrate();
  const planted = new PlantedHistory(db);
  const night = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR;
  const [failed] = await planted.runs(
    { begunAt: night, fireTime: night, shardingItem: 0, outcome: 'failed', attempts: 3, token: '9007199254740993' },
    { begunAt: night, fireTime: night, shardingItem: 1, instance: B },
    { begunAt: night + 1, fireTime: night, jobName: 'billing-run', taskId: `billing-run@-@0@-@READY@-@${A}` },
    { begunAt: night + 2, fireTime: night, jobName: '=cmd()', instance: '@SUM(A1)' },
  );
  await planted.runs({ begunAt: night + MINUTE, fireTime: night, shardingItem: 1, source: 'FAILOVER' });
  await planted.events(
    {
      kind: 'resharded',
      items: ',0,1,',
      toldAt: night + MINUTE,
      detail: JSON.stringify({ moves: { 1: { from: B, to: A } }, cause: 'crashed' }),
    },
    { kind: 'hung', items: ',0,', toldAt: night },
    {
      kind: 'missed',
      items: ',0,',
      toldAt: night,
      fireTime: night - HOUR,
      sinceAt: night - HOUR,
      detail: '{"count":1,"reason":"skipped"}',
    },
    {
      kind: 'missed',
      jobName: 'billing-run',
      items: ',0,',
      toldAt: night,
      fireTime: night - HOUR,
      sinceAt: night - HOUR,
      detail: '{"count":2,"reason":"limit"}',
    },
  );
  const { ask } = await startConsole({ framework, options: { tracing: [history] } });
  await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json.indexed).toBe(2), 10_000);
  const get = (path: string, token = TOKENS.viewer, headers = {}) => ask('GET', path, { token, headers });
  return { db, failed: failed!, get, night, state };
}

describe.each(FRAMEWORKS)('the history in the console on %s', (framework) => {
  it('tells runs, events, missed fire times, and why an item is where it is', async () => {
    const { failed, get, night } = await setUp(framework);
    const runs = await get('/runs?job=settle-orders&outcome=failed');
    expect(runs).toMatchObject({
      status: 200,
      json: { stale: false, items: [{ id: failed, item: 0, attempts: 3, token: '9007199254740993' }] },
    });
    expect((await get(`/runs/${failed}`)).json).toMatchObject({ run: { outcome: 'failed' }, previous: null });
    expect((await get('/runs?twice=true')).json.items).toMatchObject([{ item: 1 }, { item: 1, source: 'FAILOVER' }]);
    expect((await get('/events?kinds=hung')).json.items).toMatchObject([{ kind: 'hung', items: [0] }]);
    expect((await get('/missed?job=settle-orders')).json.items).toMatchObject([{ count: 1, reason: 'skipped' }]);
    expect((await get('/jobs/settle-orders/statistics')).json.job).toBe('settle-orders');
    const strip = await get('/jobs/settle-orders/history');
    const column = strip.json.columns.find(
      ({ fireTime }: { fireTime: string }) => fireTime === new Date(night).toISOString(),
    );
    expect(column.items).toMatch(/^fd/);
    expect((await get('/jobs/settle-orders/items/1/why')).json).toMatchObject({
      item: 1,
      moves: expect.arrayContaining([
        expect.objectContaining({ kind: 'resharded', from: B, to: A, cause: 'crashed' }),
        expect.objectContaining({ kind: 'begun', cause: 'FAILOVER' }),
      ]),
    });
    expect((await get('/jobs/settle-orders/items/1')).json.why).not.toBeNull();
  });

  it('is at hand in lists and in the overview', async () => {
    const { get } = await setUp(framework);
    await vi.waitFor(async () => {
      const { items } = (await get('/jobs')).json;
      expect(items).toMatchObject([
        { job: 'billing-run', lastFireTimes: ['missed', 'missed', 'done'], failedSince: null },
        { job: 'settle-orders', lastFireTimes: ['missed', 'part'], failedSince: expect.any(String) },
      ]);
      const { history } = (await get('/overview')).json;
      expect(history).toMatchObject({ missed: 3, dropped: 0, stale: false });
      expect(history.alarms.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['hung', 'missed', 'missed']);
      expect(history.runs).toHaveLength(48);
    }, 10_000);
    expect((await get('/overview', TOKENS.scoped)).json.history?.missed ?? 2).toBe(2);
  });

  it('shows nobody the jobs beyond a prefix (A05)', async () => {
    const { failed, get } = await setUp(framework);
    for (const route of ROUTES_OF_ALL) {
      const { json, text } = await get(`${route}?limit=200`, TOKENS.scoped);
      expect(json.items.every(({ job }: { job: string }) => job.startsWith('billing-'))).toBe(true);
      expect(text).not.toContain('settle-orders');
    }
    for (const route of [...ROUTES.slice(3), `/runs/${failed}`, '/runs?job=settle-orders']) {
      expect([route, (await get(route, TOKENS.scoped)).status]).toEqual([route, 404]);
    }
  });

  it('takes no SQL in a filter, a sort or a cursor (A10)', LONG, async () => {
    const { db, get } = await setUp(framework);
    const before = (await get('/runs')).json.items.length;
    const names = ['job', 'instance', 'version', 'origin', 'kinds', 'outcome', 'source', 'cursor', 'sort', 'limit'];
    const times = ['item', 'fireTime', 'from', 'to', 'buckets', 'format', 'twice'];
    for (const text of INJECTIONS) {
      const value = encodeURIComponent(text);
      for (const route of ROUTES) {
        const asked = [...names, ...times].map(async (name) => {
          const { json, status } = await get(`${route}?${name}=${value}`);
          // A filter that nothing is like finds nothing.
          const isHarmless = status === 200 ? json.items.length === 0 : [400, 404].includes(status);
          return isHarmless ? [] : [{ route, name, text, status }];
        });
        expect((await Promise.all(asked)).flat()).toEqual([]);
      }
      expect([400, 404]).toContain((await get(`/runs/${value}`)).status);
      expect([400, 404]).toContain((await get(`/jobs/${value}/history`)).status);
    }
    expect((await get('/runs')).json.items).toHaveLength(before);
    expect(await new SqlHistory(db).events({})).toMatchObject({ rows: expect.arrayContaining([expect.anything()]) });
  });

  it('has pages that meet each row once', async () => {
    const { get } = await setUp(framework);
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { json } = await get(`/runs?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...json.items.map(({ id }: { id: string }) => id));
      cursor = json.cursor;
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5]);
  });

  it('is a table without formulas for a spreadsheet (A13)', async () => {
    const { get } = await setUp(framework);
    for (const [path, headers] of [
      ['/runs?format=csv', {}],
      ['/runs', { accept: 'text/csv' }],
    ] as const) {
      const { headers: answered, text } = await get(path, TOKENS.viewer, headers);
      expect(answered.get('content-type')).toMatch(/^text\/csv/);
      expect(answered.get('content-disposition')).toBe('attachment; filename="runs.csv"');
      expect(answered.get('x-content-type-options')).toBe('nosniff');
      expect(text).toContain(`,'=cmd(),`);
      expect(text).toContain(`,'@SUM(A1),`);
      expect(text.split('\r\n')).toHaveLength(7);
    }
  });

  it('gives its last answers while the database is away, and the rest of the console works', async () => {
    const { get, state } = await setUp(framework);
    const before = await Promise.all(ROUTES.map((route) => get(route)));
    state.isAway = true;
    for (const [index, route] of ROUTES.entries()) {
      const { json, status } = await get(route);
      expect([route, status, json.stale, json.asOf]).toEqual([route, 200, true, before[index]!.json.asOf]);
    }
    const away = await get('/runs?job=billing-run');
    expect(away).toMatchObject({ status: 503, json: { code: 'HISTORY_AWAY' } });
    expect(away.text).not.toContain('password');
    for (const route of ['/jobs', '/jobs/settle-orders', '/jobs/settle-orders/items/0', '/overview', '/servers']) {
      expect([route, (await get(route)).status]).toEqual([route, 200]);
    }
    state.isAway = false;
    expect((await get('/runs?job=billing-run')).json).toMatchObject({ stale: false, items: [{ job: 'billing-run' }] });
  });

  it('is refused by 409 where the application has none, and the rest of the console works', async () => {
    const { ask } = await startConsole({ framework });
    await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json.indexed).toBe(2), 10_000);
    for (const route of [...ROUTES, '/runs/any']) {
      expect([route, await ask('GET', route)]).toMatchObject([
        route,
        { status: 409, json: { code: 'MISSING_RUN_HISTORY' } },
      ]);
    }
    expect((await ask('GET', '/jobs')).json.items).toMatchObject([{ lastFireTimes: null }, { lastFireTimes: null }]);
    expect((await ask('GET', '/overview')).json.history).toBeNull();
    expect((await ask('GET', '/jobs/settle-orders/items/0')).json.why).toBeNull();
  });
});
