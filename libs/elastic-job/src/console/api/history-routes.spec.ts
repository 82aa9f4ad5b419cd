import { FakeConsole } from '@test/support/unit/console.js';
import { eventOf, FakeJobHistory, missedOf, runOf, TWO } from '@test/support/unit/job-history.js';
import { describe, expect, it } from 'vitest';
import { HISTORY_ROUTES } from './history-routes.js';

const HOUR_MS = 3_600_000;
const OF_ALL = ['/runs', '/events', '/missed'];
const URLS = HISTORY_ROUTES.map(({ path }) =>
  path.replace(':job', 'settle').replace(':item', '3').replace(':id', 'run-1'),
);

function setUp() {
  const history = new FakeJobHistory();
  history.rows = [runOf(), runOf({ id: 'run-2', jobName: 'finance-close' })];
  history.told = [eventOf({ kind: 'hung' }), eventOf({ kind: 'late', jobName: 'finance-close' })];
  history.notBegun = [missedOf(), missedOf({ jobName: 'finance-close' })];
  const console = new FakeConsole({ sinks: [history] });
  const ask = (url: string, who = 'viewer', headers = {}) => console.ask(who, 'GET', url, undefined, headers);
  return { ask, console, history };
}

describe('the routes of the history', () => {
  it.each(URLS)('GET %s is answered by 409 without a history', async (url) => {
    const answer = await new FakeConsole().ask('viewer', 'GET', url);
    expect(answer).toMatchObject({ status: 409, json: { code: 'MISSING_RUN_HISTORY' } });
  });

  it.each(URLS)('GET %s gives its last answer while the database is away, and 503 where there is none', async (url) => {
    const { ask, console, history } = setUp();
    const { json, status } = await ask(url);
    expect([status, json]).toEqual([200, expect.objectContaining({ stale: false, asOf: expect.any(String) })]);
    history.fault = new Error('password authentication failed for user settle');
    await console.clock.advance(60_000);
    expect((await ask(url)).json).toEqual({ ...json, stale: true });

    const other = setUp();
    other.history.fault = history.fault;
    const away = await other.ask(url);
    expect(away).toMatchObject({ status: 503, json: { code: 'HISTORY_AWAY' } });
    expect(away.text).not.toContain('password');
  });

  it.each(OF_ALL)('GET %s is asked within the prefix of the caller', async (url) => {
    const { ask, history } = setUp();
    const { json } = await ask(url, 'finance');
    expect(json.items.map(({ job }: { job: string }) => job)).toEqual(['finance-close']);
    expect(history.asked).toEqual([[url.slice(1), { jobPrefix: 'finance-', limit: 50 }]]);
  });

  it.each([...OF_ALL.map((url) => `${url}?job=settle`), ...URLS.filter((url) => url.startsWith('/jobs'))])(
    'GET %s finds no job beyond the prefix of the caller, and asks nobody',
    async (url) => {
      const { ask, history } = setUp();
      expect(await ask(url, 'finance')).toMatchObject({ status: 404, json: { code: 'UNKNOWN_JOB' } });
      expect(history.asked).toEqual([]);
    },
  );

  it('has no run beyond the prefix of the caller, as if there were none', async () => {
    const { ask } = setUp();
    expect((await ask('/runs/run-2', 'finance')).json).toMatchObject({ run: { job: 'finance-close' } });
    const [there, none] = [await ask('/runs/run-1', 'finance'), await ask('/runs/none', 'finance')];
    expect(there).toMatchObject({ status: 404, json: { code: 'UNKNOWN_RUN' } });
    expect({ ...there.json, detail: '' }).toEqual({ ...none.json, detail: '' });
  });

  it.each(OF_ALL)('GET %s has pages, whose cursors are of this query and this caller alone (A11)', async (url) => {
    const { ask, history } = setUp();
    history.cursor = 'the place of a row';
    const { json } = await ask(`${url}?job=finance-close&limit=10`, 'finance');
    expect(json.cursor).toEqual(expect.any(String));
    history.cursor = undefined;
    const next = await ask(`${url}?job=finance-close&limit=20&cursor=${json.cursor}`, 'finance');
    expect(next).toMatchObject({ status: 200, json: { cursor: null } });
    expect(history.asked.at(-1)).toEqual([
      url.slice(1),
      { jobName: 'finance-close', limit: 20, cursor: 'the place of a row' },
    ]);
    const wrong = [
      ask(`${url}?job=settle&cursor=${json.cursor}`),
      ask(`${url}?job=finance-close&cursor=${json.cursor}`, 'viewer'),
      ask(`${url}?job=finance-close&cursor=forged`, 'finance'),
    ];
    expect((await Promise.all(wrong)).map(({ status }) => status)).toEqual([400, 400, 400]);
  });

  it.each([
    ['/runs?limit=201', 'limit'],
    ['/runs?item=3', 'item'],
    ['/events?item=3', 'item'],
    ['/missed?item=3', 'item'],
    ['/runs?from=yesterday', 'from'],
    ['/runs?from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z', 'from'],
    ['/runs?outcome=lost%27', 'outcome'],
    ['/runs?origin=manual%27', 'origin'],
    ['/runs?source=EVERY', 'source'],
    ['/runs?sort=begunAt', 'sort'],
    ['/runs?format=xml', 'format'],
    ['/runs?job=a&job=b', 'job'],
    [`/runs?instance=${'x'.repeat(513)}`, 'instance'],
    ['/events?kinds=late%27', 'kinds'],
    [`/events?kinds=${Array.from({ length: 41 }, () => 'late').join()}`, 'kinds'],
    ['/jobs/settle/history?limit=201', 'limit'],
    ['/jobs/settle/history?from=2031-01-01T00:00:00Z', 'from'],
    ['/jobs/settle/statistics?buckets=201', 'buckets'],
    ['/jobs/settle/statistics?from=2031-01-01T00:00:00Z', 'from'],
  ])('GET %s is refused for %s, before the history is asked', async (url, field) => {
    const { ask, history } = setUp();
    const answer = await ask(url);
    expect(answer).toMatchObject({ status: 400, json: { code: 'INVALID_ARGUMENT', fields: [{ field }] } });
    expect(history.asked).toEqual([]);
  });

  it('passes each filter on', async () => {
    const { ask, history } = setUp();
    const from = '2030-01-01T00:00:00Z';
    const to = '2030-01-02T00:00:00Z';
    const all = { job: 'settle', item: '3', fireTime: from, origin: 'rerun:7', source: 'FAILOVER', outcome: 'lost' };
    await ask(`/runs?${new URLSearchParams({ ...all, instance: 'a', version: '1', from, to, limit: '9' }).toString()}`);
    await ask(`/events?job=settle&item=3&kinds=late,hung&instance=a&from=${from}&to=${to}`);
    const times = { from: Date.parse(from), to: Date.parse(to) };
    expect(history.asked).toEqual([
      [
        'runs',
        {
          jobName: 'settle',
          shardingItem: 3,
          ...times,
          limit: 9,
          fireTime: times.from,
          origin: 'rerun:7',
          source: 'FAILOVER',
          outcome: 'lost',
          instance: 'a',
          version: '1',
        },
      ],
      ['events', { jobName: 'settle', shardingItem: 3, ...times, kinds: ['late', 'hung'], instance: 'a', limit: 50 }],
    ]);
  });
});

describe('what the history tells', () => {
  it('is a run with all that is known of it, its token as a text', async () => {
    const { ask } = setUp();
    const { json } = await ask('/runs?job=settle');
    expect(json.items).toEqual([
      {
        id: 'run-1',
        job: 'settle',
        item: 0,
        fireTime: '2030-01-01T02:00:00.000Z',
        origin: 'schedule',
        source: 'NORMAL_TRIGGER',
        outcome: 'succeeded',
        cause: null,
        error: null,
        run: 'begin-1',
        token: '3026418951122',
        epoch: 1,
        instance: '10.0.0.1@-@1',
        ip: '10.0.0.1',
        version: '1.43.1',
        task: 'settle@-@0@-@READY@-@10.0.0.1@-@1',
        launch: null,
        begunAt: '2030-01-01T02:00:00.005Z',
        settledAt: '2030-01-01T02:00:02.005Z',
        durationMs: 2_000,
        latenessMs: 5,
        attempts: 1,
      },
    ]);
    expect((await ask('/runs/run-1')).json).toMatchObject({
      run: json.items[0],
      ofTarget: [json.items[0]],
      next: null,
    });
  });

  it('is which targets have succeeded twice', async () => {
    const { ask, history } = setUp();
    history.rows = [runOf(), runOf({ id: 'run-3', source: 'FAILOVER' })];
    const { json } = await ask('/runs?job=settle&twice=true');
    expect(json.items.map(({ id }: { id: string }) => id)).toEqual(['run-1', 'run-3']);
    expect(history.asked).toEqual([['doubles', { jobName: 'settle', limit: 50 }]]);
  });

  it('has no secret of an error, no parameters for viewers, and no other jobs for who has a prefix', async () => {
    const { ask, history } = setUp();
    history.rows = [runOf({ error: 'wrong password s3cret' })];
    const detail = { parameters: 'p4rameter', parent: 'payroll', differences: ['cron is p4rameter'], detail: 'a note' };
    history.told = [eventOf({ kind: 'warning', jobName: 'finance-close', detail })];
    expect((await ask('/runs')).json.items).toMatchObject([{ error: 'wrong password ***' }]);
    const factsFor = async (who: string) => (await ask('/events', who)).json.items[0].facts;
    const hidden = { parameters: 'hidden', differences: 'hidden', detail: 'hidden' };
    expect(await factsFor('viewer')).toEqual({ ...hidden, parent: 'payroll' });
    expect(await factsFor('operator')).toEqual({ ...detail, detail: 'hidden' });
    expect(await factsFor('finance')).toEqual({ ...hidden, parameters: 'p4rameter', parent: 'hidden' });
  });

  it('is what became of each item at each fire time, a letter for each', async () => {
    const { ask, history } = setUp();
    const cells = [
      { fate: 'done' },
      { fate: 'done', isRerun: true },
      { fate: 'failed' },
      { fate: 'missed', reason: 'skipped' },
      { fate: 'missed', reason: 'skipped' },
      { fate: 'unknown', reason: 'no-instance' },
      { fate: 'disabled' },
      { fate: 'running' },
    ] as const;
    history.strip = {
      columns: [{ fireTime: TWO, items: cells, isExpected: true }],
      expectedFrom: TWO - HOUR_MS,
      isCut: true,
    };
    const { json } = await ask('/jobs/settle/history');
    expect(json).toEqual({
      job: 'settle',
      timeZone: 'UTC',
      from: '2029-12-30T03:00:00.000Z',
      to: '2030-01-01T00:00:00.000Z',
      columns: [
        {
          fireTime: '2030-01-01T02:00:00.000Z',
          items: 'drfmmuxo',
          reasons: [
            { from: 3, to: 4, reason: 'skipped' },
            { from: 5, to: 5, reason: 'no-instance' },
          ],
          expected: true,
        },
      ],
      expectedFrom: '2030-01-01T01:00:00.000Z',
      cut: true,
      next: Array.from({ length: 10 }, (_, n) => `2030-01-01T${String(n + 1).padStart(2, '0')}:00:00.000Z`),
      asOf: '2030-01-01T00:00:00.000Z',
      stale: false,
    });
    expect(history.asked).toEqual([
      ['fireTimes', expect.objectContaining({ jobName: 'settle', limit: 45, shardingTotalCount: 4, changedAt: 0 })],
    ]);
  });

  it('takes little room for a thousand items at 45 fire times', async () => {
    const { ask, history } = setUp();
    const items = Array.from({ length: 1_000 }, () => ({ fate: 'unknown' as const, reason: 'no-instance' }));
    const columns = Array.from({ length: 45 }, (_, n) => ({ fireTime: TWO + n * HOUR_MS, items, isExpected: true }));
    history.strip = { columns, expectedFrom: TWO, isCut: false };
    expect((await ask('/jobs/settle/history')).text.length).toBeLessThan(60_000);
  });

  it('is how the runs of a job did over time', async () => {
    const { ask, history } = setUp();
    const duration = { p50: 1, p95: 2, p99: 3, max: 4 };
    history.buckets = [
      { from: TWO, to: TWO + HOUR_MS, succeeded: 5, failed: 1, aborted: 2, duration, lateness: undefined },
    ];
    const { json } = await ask('/jobs/settle/statistics?buckets=24');
    expect(json).toMatchObject({
      job: 'settle',
      buckets: [{ succeeded: 5, failed: 1, aborted: 2, durationMs: duration, latenessMs: null }],
    });
    const now = Date.UTC(2030, 0, 1);
    expect(history.asked).toEqual([
      ['statistics', { jobName: 'settle', from: now - 24 * HOUR_MS, to: now, buckets: 24 }],
    ]);
  });

  it('is why an item is where it is, also beside the item itself', async () => {
    const { ask, history } = setUp();
    history.rows = [];
    const moves = { 3: { from: '10.0.0.2@-@1', to: '10.0.0.1@-@1' } };
    history.told = [eventOf({ kind: 'resharded', items: [3], detail: { moves, cause: 'crashed' } })];
    const { json } = await ask('/jobs/settle/items/3/why');
    expect(json).toMatchObject({ job: 'settle', item: 3, moves: [{ kind: 'resharded', from: '10.0.0.2@-@1' }] });
    expect((await ask('/jobs/settle/items/3')).json.why).toEqual(json.moves);
    expect(await ask('/jobs/settle/items/4/why')).toMatchObject({ status: 404, json: { code: 'UNKNOWN_ITEM' } });
  });

  it('keeps no item waiting: it is there without its moves while the database is away or slow', async () => {
    const { ask, console, history } = setUp();
    history.until = new Promise(() => {});
    const asked = ask('/jobs/settle/items/3');
    await console.clock.advance(300);
    expect(await asked).toMatchObject({ status: 200, json: { item: 3, why: null } });
    expect((await new FakeConsole().ask('viewer', 'GET', '/jobs/settle/items/3')).json).toMatchObject({ why: null });
  });
});

describe('a table of the history', () => {
  it.each(OF_ALL)('is what GET %s answers to ?format=csv, and to Accept: text/csv', async (url) => {
    const { ask } = setUp();
    const { headers, status, text } = await ask(`${url}?format=csv`);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="${url.slice(1)}.csv"`,
      'x-as-of': '2030-01-01T00:00:00.000Z',
      'x-stale': 'false',
    });
    const [names, ...lines] = text.split('\r\n');
    expect(names).toContain('job,');
    expect(lines).toHaveLength(3);
    const accepting = (accept: string) => ask(url, 'viewer', { accept });
    expect((await accepting('text/csv')).text).toBe(text);
    expect((await accepting('text/csv;q=0.9, */*;q=0.1')).text).toBe(text);
    for (const accept of ['application/json', '*/*', 'application/json, text/csv']) {
      expect((await accepting(accept)).json).toHaveProperty('items');
    }
    expect((await ask(`${url}?format=json`, 'viewer', { accept: 'text/csv' })).json).toHaveProperty('items');
  });

  it('has all fields of a row, secrets hidden, no formulas, and tells of the next page (A13)', async () => {
    const { ask, history } = setUp();
    history.rows = [runOf({ jobName: '=cmd()', error: '+s3cret, "quoted"' })];
    history.cursor = 'a place';
    const { headers, text } = await ask('/runs?format=csv');
    const { json } = await ask('/runs');
    expect(text.split('\r\n')[0]).toBe(Object.keys(json.items[0]).join(','));
    expect(text).toContain(`run-1,'=cmd(),0,`);
    expect(text).toContain(`"'+***, ""quoted"""`);
    expect(headers).toMatchObject({ 'x-cursor': json.cursor });
  });

  it('is no answer of other routes', async () => {
    const { ask } = setUp();
    expect((await ask('/jobs/settle', 'viewer', { accept: 'text/csv' })).json).toMatchObject({ job: 'settle' });
    expect((await ask('/jobs/settle/history?format=csv')).status).toBe(400);
  });

  it('is no answer to a refusal', async () => {
    const { headers, json } = await new FakeConsole().ask('viewer', 'GET', '/runs?format=csv');
    expect(headers['content-type']).toContain('application/problem+json');
    expect(json).toMatchObject({ code: 'MISSING_RUN_HISTORY' });
  });
});
