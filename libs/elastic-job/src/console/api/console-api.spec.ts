import { FakeConsole } from '@test/support/unit/console.js';
import { FakeJobHistory, runOf } from '@test/support/unit/job-history.js';
import { describe, expect, it, vi } from 'vitest';
import { CONSOLE_ROUTES } from './console-routes.js';

/** A URL of each route, with names that are there. */
function urlOf(path: string): string {
  return path
    .replace(':job', 'settle')
    .replace(':item', '3')
    .replace(':ip', '10.0.0.1')
    .replace(':rerun', 'rerun-1')
    .replace(':id', 'run-1');
}

function historyOfRun(): FakeJobHistory {
  const history = new FakeJobHistory();
  history.rows = [runOf()];
  return history;
}

const BODIES: Readonly<Record<string, object>> = {
  'POST /session': { name: 'Vera', password: 'open sesame' },
  'POST /jobs/:job/reruns': { items: [3], fireTimes: ['2026-11-22T02:00:00Z'] },
  'POST /jobs': { name: 'finance-new', template: 'report' },
  'DELETE /jobs/:job': { name: 'settle' },
  'PATCH /jobs/:job/config': { settings: { description: 'new' } },
};
const asked = CONSOLE_ROUTES.filter(({ path }) => path !== '/live');

describe('every route', () => {
  it.each(asked)(
    '$method $path answers who may with its status, and with headers that keep it private',
    async (route) => {
      const { method, path } = route;
      const body = BODIES[`${method} ${path}`];
      const answer = await new FakeConsole({ sinks: [historyOfRun()] }).ask('admin', method, urlOf(path), body, {
        'if-match': '"7"',
      });
      expect(answer).toMatchObject({ status: route.status });
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'request-1',
      });
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ role }) => role !== 'anybody'))(
    '$method $path is for nobody unknown',
    async ({ method, path }) => {
      const console = new FakeConsole();
      expect(await console.ask('a forged token', method, urlOf(path))).toMatchObject({ status: 401 });
      expect(console.commands).toEqual([]);
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ role }) => role === 'operator' || role === 'admin'))(
    '$method $path is for a $role, and tells a viewer so',
    async ({ method, path, role }) => {
      const console = new FakeConsole();
      const { json, status } = await console.ask('viewer', method, urlOf(path), BODIES[`${method} ${path}`]);
      expect({ status, json }).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', role } });
      expect(console.commands).toEqual([]);
      expect(console.audit).toEqual([]);
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ role }) => role === 'admin'))(
    '$method $path is not for an operator',
    async (route) => {
      const { method, path } = route;
      expect(await new FakeConsole().ask('operator', method, urlOf(path), BODIES[`${method} ${path}`])).toMatchObject({
        status: 403,
        json: { role: 'admin' },
      });
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ path }) => path.includes(':job')))(
    '$method $path has no job beyond the prefix of the caller',
    async ({ method, path }) => {
      const console = new FakeConsole();
      const answer = await console.ask('finance', method, urlOf(path), BODIES[`${method} ${path}`]);
      expect(answer).toMatchObject({ status: 404, json: { code: 'UNKNOWN_JOB' } });
      expect(console.commands).toEqual([]);
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ isChange }) => isChange))(
    '$method $path changes nothing in a console to read',
    async (route) => {
      const { method, path } = route;
      const console = new FakeConsole({ readOnly: true });
      const answer = await console.ask('admin', method, urlOf(path), BODIES[`${method} ${path}`], {
        'if-match': '"7"',
      });
      expect(answer).toMatchObject({ status: 403, json: { code: 'READ_ONLY' } });
      expect(console.commands).toEqual([]);
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ isChange }) => isChange))(
    '$method $path is written down with its reason',
    async (route) => {
      const { method, path } = route;
      const console = new FakeConsole();
      const body = { ...BODIES[`${method} ${path}`], reason: 'INC-4182' };
      await console.ask('admin', method, urlOf(path), body, { 'if-match': '"7"' });
      expect(console.audit).toMatchObject([{ who: 'Ada', role: 'admin', reason: 'INC-4182', address: '127.0.0.1' }]);
    },
  );

  it.each(CONSOLE_ROUTES.filter(({ isChange }) => isChange))(
    '$method $path wants a reason where one is required',
    async (route) => {
      const { method, path } = route;
      const console = new FakeConsole({ requireReason: true });
      const answer = await console.ask('admin', method, urlOf(path), BODIES[`${method} ${path}`], {
        'if-match': '"7"',
      });
      expect(answer).toMatchObject({ status: 400, json: { fields: [{ field: 'reason' }] } });
      expect(console.audit).toEqual([]);
    },
  );
});

describe('the index', () => {
  it.each(['/jobs', '/servers/10.0.0.1'])('hears at %s which jobs the caller looks at', async (url) => {
    const console = new FakeConsole();
    const setScreen = vi.spyOn(console.parts.index, 'setScreen');

    await console.ask('viewer', 'GET', url);

    expect(setScreen.mock.calls).toEqual([[expect.objectContaining({ name: 'Vera' }), ['settle']]]);
  });
});

describe('a console that stops', () => {
  it('lets a change end that is being made, and refuses all further requests', async () => {
    let end = (_receipt: object) => {};
    const trigger = new Promise<object>((resolve) => (end = resolve));
    const console = new FakeConsole({}, { trigger });
    const change = console.ask('operator', 'POST', '/jobs/settle/trigger');
    await vi.waitFor(() => expect(console.commands).toHaveLength(1));
    let isStopped = false;
    const stopping = console.stop().then(() => (isStopped = true));

    for (const [method, url] of [
      ['GET', '/jobs'],
      ['POST', '/jobs/settle/disable'],
    ] as const) {
      const answer = await console.ask('operator', method, url);
      expect(answer).toMatchObject({ status: 503, json: { code: 'SHUTTING_DOWN' } });
    }
    expect([console.commands.length, isStopped]).toEqual([1, false]);
    end({ id: 'run-1', asked: [], pending: [] });
    expect(await change).toMatchObject({ status: 202 });
    await stopping;
    expect(console.audit).toMatchObject([{ action: 'job.trigger', end: { id: 'run-1' } }]);
  });

  it('does not wait for a change for more than 5 s', async () => {
    const console = new FakeConsole({}, { trigger: new Promise(() => {}) });
    void console.ask('operator', 'POST', '/jobs/settle/trigger');
    await vi.waitFor(() => expect(console.commands).toHaveLength(1));
    const stopping = console.stop();
    await console.clock.advance(5_000);
    await stopping;
  });
});
