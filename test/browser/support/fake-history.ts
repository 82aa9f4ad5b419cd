import type { BrowserContext, Route } from 'playwright-core';

const AT = Date.parse('2026-11-30T02:00:00.000Z');
const iso = (seconds: number) => new Date(AT + seconds * 1_000).toISOString();
const STATE = { asOf: iso(600), stale: false };

/** A run of `settle-orders`, as the API has it. */
const runOf = (id: string, item: number, more: object = {}) => ({
  id,
  job: 'settle-orders',
  item,
  fireTime: iso(0),
  origin: 'schedule',
  source: 'NORMAL_TRIGGER',
  outcome: 'succeeded',
  cause: null,
  error: null,
  run: 'begin-1',
  token: '3026418951671',
  epoch: 41,
  instance: '10.0.3.12@-@7-9f2b',
  ip: '10.0.3.12',
  version: '1.43.1',
  task: 'settle-orders@-@0@-@READY@-@10.0.3.12@-@7-9f2b',
  launch: 1,
  begunAt: iso(0),
  settledAt: iso(60),
  durationMs: 60_000,
  latenessMs: 9,
  attempts: 1,
  ...more,
});

const OLD = { fireTime: null, origin: null, run: null, token: null, epoch: null, version: null, latenessMs: null };
/** A failure, a failover from an instance that crashed, and a run that was written before the upgrade. */
const RUNS = [
  runOf('took-over', 1, { source: 'FAILOVER', begunAt: iso(42), instance: '10.0.3.13@-@8-1' }),
  runOf('good', 0),
  runOf('cut-short', 1, { outcome: 'lost', settledAt: null, durationMs: null }),
  runOf('failed', 2, { outcome: 'failed', attempts: 2, error: '=BankError: no answer\n\tat pay (bank.ts:7)\u202e' }),
  runOf('old', 0, { ...OLD, begunAt: iso(-86_400), settledAt: iso(-86_300) }),
];
const ATTEMPTS = [
  { attempt: 1, startedAt: iso(0), endedAt: iso(20), error: 'BankError: no answer' },
  { attempt: 2, startedAt: iso(30), endedAt: iso(60), error: 'BankError: no answer' },
];
const EVENT = { job: 'settle-orders', items: null, fireTime: null, instance: '10.0.3.12@-@7-9f2b' };
const MOVES = { 1: { from: '10.0.3.11@-@6-1', to: '10.0.3.13@-@8-1' } };
const EVENTS = [
  { ...EVENT, id: 'crash', at: iso(40), kind: 'resharded', facts: { cause: 'crashed', moves: MOVES } },
  {
    ...EVENT,
    id: 'missed',
    at: iso(-86_000),
    kind: 'missed',
    items: [0, 1, 2],
    fireTime: iso(-86_400),
    facts: { since: iso(-86_400), count: 1, reason: 'skipped' },
  },
];
const COLUMNS = [
  { fireTime: iso(-86_400), items: 'mmm', reasons: [{ from: 0, to: 2, reason: 'skipped' }], expected: true },
  { fireTime: iso(0), items: 'ddf', reasons: [], expected: true },
];
const WHY = {
  owner: '10.0.3.13@-@8-1',
  holder: null,
  from: '10.0.3.11@-@6-1',
  since: iso(40),
  cause: 'crashed',
  text: 'Item 1 has come from 10.0.3.11, which has crashed.',
  moves: [
    { at: iso(42), kind: 'claimed', instance: null, from: null, to: null, cause: null, token: null, text: 'claimed' },
  ],
};

/** Answers in the place of a history that the served console does not have. `problem`: each of them is refused so. */
export async function answerHistory(context: BrowserContext) {
  const history: { problem?: { readonly status: number; readonly code: string }; stale: boolean } = { stale: false };
  const answer = (path: RegExp, bodyOf: (url: URL) => object | undefined) =>
    context.route(path, async (route: Route) => {
      const { problem, stale } = history;
      const body = bodyOf(new URL(route.request().url()));
      const refusal = problem ?? (body === undefined ? { status: 404, code: 'UNKNOWN_RUN' } : undefined);
      if (refusal === undefined) return route.fulfill({ json: { ...STATE, ...body, stale } });
      const json = { ...refusal, detail: 'It is refused.', requestId: 'r' };
      return route.fulfill({ status: refusal.status, json, contentType: 'application/problem+json' });
    });
  await answer(/\/v1\/runs\?/, ({ searchParams: asked }) => {
    const isAsked = (run: (typeof RUNS)[number]) =>
      (['item', 'outcome', 'fireTime'] as const).every(
        (name) => asked.get(name) === null || asked.get(name) === String(run[name]),
      );
    return { items: RUNS.filter(isAsked).slice(0, Number(asked.get('limit'))), cursor: null };
  });
  await answer(/\/v1\/runs\/[^/?]+$/, ({ pathname }) => {
    const run = RUNS.find(({ id }) => pathname.endsWith(`/${id}`));
    if (run === undefined) return undefined;
    const ofTarget = RUNS.filter(({ fireTime, item }) => item === run.item && fireTime === run.fireTime).toReversed();
    return { run, attempts: run.attempts > 1 ? ATTEMPTS : [], ofTarget, previous: null, next: null };
  });
  await answer(/\/v1\/events\?/, ({ searchParams }) => {
    const kinds = searchParams.get('kinds');
    return { items: EVENTS.filter(({ kind }) => kinds === null || kinds === kind), cursor: null };
  });
  await answer(/\/settle-orders\/history$/, () => ({
    columns: COLUMNS,
    expectedFrom: iso(-172_800),
    cut: false,
    next: [iso(86_400)],
  }));
  await answer(/\/settle-orders\/statistics$/, () => ({ buckets: [] }));
  await answer(/\/why$/, () => WHY);
  return history;
}
