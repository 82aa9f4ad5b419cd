import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it, vi } from 'vitest';
import { ConfigurationNodeError, ContentionError, PartlyDoneError } from '../../coordination/index.js';
import { ConfigurationError, TemplateLimitError } from '../../domain/index.js';
import { UnknownServerError } from '../../operations/index.js';
import { RegistryUnavailableError } from '../../registry/index.js';
import { ConsoleProblem } from '../contract/index.js';
import { CONSOLE_ROUTES } from './console-routes.js';

/** A URL of each route, with names that are there. */
function urlOf(path: string): string {
  return path.replace(':job', 'settle').replace(':item', '3').replace(':ip', '10.0.0.1');
}

const BODIES: Readonly<Record<string, object>> = {
  'POST /session': { name: 'Vera', password: 'open sesame' },
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
      const answer = await new FakeConsole({ sinks: [HISTORY] }).ask('admin', method, urlOf(path), body, {
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

describe('a change', () => {
  it('has an unknown outcome if its reply is lost, and the answer says where to look', async () => {
    const lost = new RegistryUnavailableError('create /settle/trigger', 'unknown', 'the connection broke');
    const console = new FakeConsole({}, { trigger: lost });
    const { json, status } = await console.ask('operator', 'POST', '/jobs/settle/trigger');
    expect(status).toBe(504);
    expect(json).toMatchObject({ code: 'OUTCOME_UNKNOWN', look: '/elastic-job/api/v1/jobs/settle' });
    expect(console.commands).toHaveLength(1);
  });

  it.each([
    ['PATCH', '/jobs/settle/config', { settings: { description: 'new' } }],
    ['PATCH', '/jobs/settle/config?preview=true', { settings: { description: 'new' } }],
    ['DELETE', '/jobs/settle', { name: 'settle' }],
    ['POST', '/jobs/settle/reshard', {}],
    ['POST', '/servers/10.0.0.1/jobs/settle/disable', {}],
  ])('that was not begun is not unknown if the reply of a read before it is lost: %s %s', async (method, url, body) => {
    const lost = async () => {
      throw new RegistryUnavailableError('getData /settle/config', 'unknown', 'the connection broke');
    };
    const { configurations, index } = new FakeConsole().parts;
    const console = new FakeConsole({
      configurations: { ...configurations, getJobConfiguration: lost },
      index: { ...index, open: (job) => ({ ...index.open(job), job: lost }) },
    });
    const answer = await console.ask('admin', method, url, body, { 'if-match': '"7"' });
    expect(answer).toMatchObject({ status: 503, json: { code: 'REGISTRY_UNAVAILABLE' } });
    expect([console.commands, console.audit]).toEqual([[], []]);
  });

  it.each([
    [
      new ContentionError('settle', 'setting servers DISABLED'),
      'Others change the same nodes all the time; try again.',
    ],
    [
      new RegistryUnavailableError('getData /settle/servers', 'not-applied', 'there is no connection'),
      'The registry does not answer; try again once it is back.',
    ],
  ])('of which a part is made says so, why, and that the same request makes the rest: %s', async (cause, why) => {
    const disable = new PartlyDoneError({ jobName: 'settle', work: 'setting servers DISABLED' }, cause);
    const console = new FakeConsole({}, { disable });
    const { json, status } = await console.ask('operator', 'POST', '/jobs/settle/disable');
    expect({ status, json }).toMatchObject({
      status: 503,
      json: {
        code: 'PARTLY_DONE',
        detail: `A part of the change is made; send the same request again, which makes the rest. ${why}`,
        look: '/elastic-job/api/v1/jobs/settle',
      },
    });
  });

  it('was not made while the registry is away, and the answer shows no path of the tree', async () => {
    const away = new RegistryUnavailableError('create /settle/trigger', 'not-applied', 'there is no connection');
    const { json, status } = await new FakeConsole({}, { trigger: away }).ask(
      'operator',
      'POST',
      '/jobs/settle/trigger',
    );
    expect({ status, code: json.code }).toEqual({ status: 503, code: 'REGISTRY_UNAVAILABLE' });
    expect(JSON.stringify(json)).not.toContain('/settle/trigger');
  });

  it('of all jobs on a server is not for somebody with a job prefix', async () => {
    const console = new FakeConsole();
    const answer = await console.ask('finance', 'POST', '/servers/10.0.0.1/disable');
    expect(answer).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    expect(console.commands).toEqual([]);
  });

  it.each([
    [{ jobParameter: 'hidden' }, 'jobParameter'],
    [{ props: { url: 'hidden' } }, 'props.url'],
    [{ props: 'hidden' }, 'props'],
  ])('creates no job whose settings are copied with what is hidden: %j', async (settings, field) => {
    const console = new FakeConsole();
    const answer = await console.ask('admin', 'POST', '/jobs', { name: 'new', template: 'report', settings });
    expect(answer).toMatchObject({ status: 400, json: { code: 'CONFIGURATION', fields: [{ field }] } });
    expect([console.commands, console.audit]).toEqual([[], []]);
  });

  it.each(['a/b', 'a\u202eb', 'zookeeper', 'x'.repeat(1_025)])(
    'creates no job of a name that no route would find: %j',
    async (name) => {
      const console = new FakeConsole();
      const answer = await console.ask('admin', 'POST', '/jobs', { name, template: 'report' });
      expect(answer).toMatchObject({ status: 400, json: { fields: [{ field: 'name' }] } });
      expect(console.commands).toEqual([]);
    },
  );

  it('removes a job only if its name is repeated', async () => {
    const console = new FakeConsole();
    const { json, status } = await console.ask('admin', 'DELETE', '/jobs/settle', { name: 'settlement' });
    expect({ status, fields: json.fields }).toMatchObject({ status: 400, fields: [{ field: 'name' }] });
    expect(console.commands).toEqual([]);
  });

  it('creates no job beyond the prefix of the caller', async () => {
    const console = new FakeConsole();
    expect(await console.ask('finance', 'POST', '/jobs', { name: 'payroll', template: 't' })).toMatchObject({
      status: 403,
    });
    expect(await console.ask('finance', 'POST', '/jobs', { name: 'finance-new', template: 't' })).toMatchObject({
      status: 201,
    });
    expect(console.commands).toEqual([['create', { name: 'finance-new', template: 't' }]]);
  });

  it('creates no job beyond a limit of its template, and does not tell how many others have made', async () => {
    const refusedFor = async (limit: 'maxItems' | 'maxJobs', value: number) => {
      const console = new FakeConsole({}, { create: new TemplateLimitError('report', limit, 100, value) });
      return (await console.ask('finance', 'POST', '/jobs', { name: 'finance-new', template: 'report' })).json;
    };
    expect(await refusedFor('maxItems', 4_711)).toMatchObject({
      status: 409,
      code: 'TEMPLATE_LIMIT',
      detail: expect.stringContaining('shardingTotalCount is 4711'),
    });
    expect(await refusedFor('maxJobs', 4_711)).toMatchObject({
      status: 409,
      detail: expect.not.stringContaining('4711'),
    });
  });

  it.each([
    [{ kind: 'not-running' }, 'NOT_RUNNING'],
    [{ kind: 'not-ours', instanceId: 'java' }, 'NOT_OURS'],
    [{ kind: 'unmonitored' }, 'UNMONITORED'],
  ])('that would cancel is refused for %o', async (outcome, code) => {
    const console = new FakeConsole({}, { cancel: outcome });
    const answer = await console.ask('operator', 'POST', '/jobs/settle/items/3/cancel');
    expect(answer).toMatchObject({ status: 409, json: { code } });
  });

  it.each([
    [{ kind: 'requested', run: '7', instanceId: 'a' }, 200, undefined],
    [{ kind: 'not-running' }, 409, 'NOT_RUNNING'],
    [{ kind: 'not-ours', instanceId: 'java' }, 409, 'NOT_OURS'],
    [{ kind: 'unmonitored' }, 409, 'UNMONITORED'],
    [{ kind: 'not-lost', state: 'RUNNING' }, 409, 'NOT_LOST'],
    [{ kind: 'not-lost', state: undefined }, 409, 'NOT_LOST'],
  ])('that would confirm a loss is answered for %o by %i %s', async (outcome, status, code) => {
    const console = new FakeConsole({}, { confirmLost: outcome });
    const answer = await console.ask('admin', 'POST', '/jobs/settle/items/3/confirm-lost');
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('says what a Java peer, or settings that cannot be read, make of it', async () => {
    const disable = { servers: [], newServers: 'unreadable', javaPeers: ['java'] };
    const { json } = await new FakeConsole({}, { disable }).ask('operator', 'POST', '/jobs/settle/disable');
    expect(json.note).toContain('Java');
    expect(json.note).toContain('cannot be read');
  });

  it.each([
    ['/servers/10.0.0.9/disable', undefined, /^There is no server "10.0.0.9"; GET \/servers /],
    ['/servers/10.0.0.9/jobs/settle/disable', 'settle', /^Job "settle" has no server "10.0.0.9"; GET \/jobs\/settle/],
  ])('on a server that is not there names the request that lists them: %s', async (url, job, detail) => {
    const error = new UnknownServerError('10.0.0.9', job);
    const console = new FakeConsole({}, { disable: error, disableServer: error });
    const { json } = await console.ask('operator', 'POST', url);
    expect(json).toMatchObject({ code: 'UNKNOWN_SERVER', detail: expect.stringMatching(detail) });
  });

  it('of settings that cannot be used says which ETag corrects them', async () => {
    const error = new ConfigurationNodeError('settle', ['line 1: a colon is missing']);
    const console = new FakeConsole({}, { update: error });
    const body = { settings: { description: 'new' } };
    const { json } = await console.ask('operator', 'PATCH', '/jobs/settle/config', body, { 'if-match': '"7"' });
    expect(json).toMatchObject({
      code: 'CONFIGURATION_NODE',
      detail: expect.stringMatching(/If-Match is configVersion/),
    });
  });

  it('keeps the parameters of a trigger out of the audit', async () => {
    const console = new FakeConsole();
    await console.ask('operator', 'POST', '/jobs/settle/trigger', { parameters: 'a s3cret' });
    expect(console.commands).toEqual([['trigger', 'settle', { parameters: 'a s3cret' }]]);
    expect(JSON.stringify(console.audit)).not.toContain('s3cret');
  });
});

describe('a request', () => {
  const wrong: readonly (readonly [string, unknown, number, string])[] = [
    ['an unknown field', { parameter: 'x' }, 400, 'parameter'],
    ['a number for a text', { parameters: 7 }, 400, 'parameters'],
    ['a reason of two lines', { reason: 'a\r\nb' }, 400, 'reason'],
    ['a reason that is too long', { reason: 'x'.repeat(513) }, 400, 'reason'],
    ['parameters that are too long', { parameters: 'x'.repeat(65 * 1_024) }, 400, 'parameters'],
    ['a list', [], 400, 'body'],
    ['no JSON', '{"a":', 400, 'body'],
    ['a prototype', '{"__proto__":{"role":"admin"}}', 400, 'body'],
    ['a constructor', '{"reason":"x","constructor":{}}', 400, 'body'],
    ['a deep body', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400, 'body'],
  ];
  it.each(wrong)('with %s is refused, and names the field', async (_what, body, status, field) => {
    const console = new FakeConsole();
    const answer = await console.ask('operator', 'POST', '/jobs/settle/trigger', body);
    expect(answer).toMatchObject({ status, json: { fields: [{ field }] } });
    expect(console.commands).toEqual([]);
  });

  it.each(['constructor', 'toString', '__proto__'])('with a parameter %s is refused', async (name) => {
    const console = new FakeConsole();
    const answer = await console.ask('viewer', 'GET', `/jobs?${name}=1`);
    expect(answer).toMatchObject({ status: 400, json: { code: 'INVALID_ARGUMENT' } });
    expect(console.errors).toEqual([]);
  });

  it('is told every fault at once', async () => {
    const { json } = await new FakeConsole().ask('viewer', 'GET', '/jobs?limit=500&status=FINE&colour=red&q=a&q=b');
    expect(json.fields.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'colour',
      'limit',
      'q',
      'status',
    ]);
  });

  it('for the own session counts as a read', async () => {
    const limits = {
      read: () => {
        throw new ConsoleProblem(429, 'TOO_MANY_REQUESTS', 'Wait.');
      },
      change: () => {},
    };
    expect(await new FakeConsole({ limits }).ask('viewer', 'GET', '/session')).toMatchObject({ status: 429 });
  });

  it('is refused by 413 beyond 256 KB, however its length is told', async () => {
    const console = new FakeConsole();
    const long = `{"reason":"${' '.repeat(257 * 1_024)}"}`;
    expect(await console.ask('operator', 'POST', '/jobs/settle/trigger', long)).toMatchObject({ status: 413 });
    const told = { 'content-length': String(257 * 1_024) };
    expect(await console.ask('operator', 'POST', '/jobs/settle/trigger', {}, told)).toMatchObject({ status: 413 });
  });

  it('is told of 100 faults at most, and of none in more than 4,096 characters', async () => {
    const faults = Array.from({ length: 1_000 }, (_, index) => `f${index} ${'x'.repeat(10_000)}`);
    const console = new FakeConsole({}, { trigger: new ConfigurationError('job', faults) });
    const { json, text } = await console.ask('operator', 'POST', '/jobs/settle/trigger', {});
    expect([json.status, json.fields.length]).toEqual([400, 100]);
    expect(text.length).toBeLessThan(101 * 4_200);
  });

  it('is refused if a parser of the host has let it be as deep as it likes', async () => {
    const console = new FakeConsole();
    const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 1);
    const read = async () => ({ parsed: { reason: deep } });
    const answer = await console.ask('operator', 'POST', '/jobs/settle/trigger', undefined, {}, read);
    expect([answer.status, console.errors]).toEqual([400, []]);
  });

  it.each([
    [{ 'content-type': 'text/plain' }],
    [{ 'content-type': undefined }],
    [{ 'content-type': 'application/json; charset=utf-7' }],
    [{ 'content-encoding': 'gzip' }],
  ])('is refused by 415 with %o', async (headers) => {
    const console = new FakeConsole();
    expect(await console.ask('operator', 'POST', '/jobs/settle/trigger', {}, headers)).toMatchObject({ status: 415 });
    expect(console.commands).toEqual([]);
  });

  it.each([
    ['/jobs/..', 400],
    ['/jobs/%2e%2e', 400],
    ['/jobs/a%2fb', 400],
    ['/jobs/a%252fb', 200],
    ['/jobs/%00', 400],
    ['/jobs/a%0d%0aSet-Cookie:x', 400],
    ['/jobs/a%E2%80%AEb', 400],
    ['/jobs/zookeeper', 400],
    ['/jobs/%zz', 400],
    [`/jobs/${'x'.repeat(1_025)}`, 400],
    [`/jobs/${'x'.repeat(9_000)}`, 404],
    ['/jobs/settle/items/-1', 400],
    ['/jobs/settle/items/3e1', 400],
    ['/jobs/settle/../settle', 404],
    ['/nothing', 404],
    ['/jobs/', 404],
    ['//jobs', 404],
  ])('for %s is answered by %i', async (url, status) => {
    expect(await new FakeConsole().ask('viewer', 'GET', url)).toMatchObject({ status });
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])(
    'that has a query named %s, as every object has one, is told that it is unknown',
    async (name) => {
      const console = new FakeConsole();
      const answer = await console.ask('viewer', 'GET', `/jobs?${name}=1`);
      expect(answer).toMatchObject({ status: 400, json: { fields: [{ field: name }] } });
      expect(console.errors).toEqual([]);
    },
  );

  it('by another method is told which there are', async () => {
    const answer = await new FakeConsole().ask('admin', 'PUT', '/jobs/settle');
    expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD, DELETE' } });
  });

  it('by HEAD is answered as by GET, without a body', async () => {
    const console = new FakeConsole();
    const { headers } = await console.ask('viewer', 'GET', '/jobs');
    expect(await console.ask('viewer', 'HEAD', '/jobs')).toMatchObject({ status: 200, headers, body: undefined });
  });

  it('whose answer the client has already is answered by 304', async () => {
    const console = new FakeConsole();
    const { headers } = await console.ask('viewer', 'GET', '/jobs');
    const known = { 'if-none-match': String(headers['etag']) };
    expect(await console.ask('viewer', 'GET', '/jobs', undefined, known)).toMatchObject({
      status: 304,
      body: undefined,
    });
  });

  it('for settings is answered whole, since a version is not all that they have', async () => {
    const console = new FakeConsole();
    const { headers } = await console.ask('viewer', 'GET', '/jobs/settle/config');
    const known = { 'if-none-match': String(headers['etag']) };
    expect(await console.ask('operator', 'GET', '/jobs/settle/config', undefined, known)).toMatchObject({
      status: 200,
      headers: { etag: '"7"' },
      json: { settings: { jobParameter: 'p4rameter' } },
    });
  });

  it('whose body never comes ends after 10 s', async () => {
    const console = new FakeConsole();
    const { clock } = console;
    const never = new Promise<never>(() => {});
    const answer = console.ask('operator', 'POST', '/jobs/settle/trigger', undefined, {}, () => never);
    await clock.advance(10_000);
    expect(await answer).toMatchObject({ status: 408, json: { code: 'TIMEOUT' } });
  });

  it('that fails for a reason that nobody foresaw shows nothing of it, and is in the log', async () => {
    const error = new Error('at /home/ada/jobs with s3cret');
    const console = new FakeConsole({}, { trigger: error });
    const { json, status } = await console.ask('operator', 'POST', '/jobs/settle/trigger');
    expect(status).toBe(500);
    expect(json).toEqual({
      type: 'urn:elastic-job:problem:internal',
      title: 'internal',
      status: 500,
      code: 'INTERNAL',
      detail: expect.stringContaining('request-1'),
      requestId: 'request-1',
    });
    expect(console.errors).toMatchObject([{ message: 'at /home/ada/jobs with ***' }]);
  });

  it('for a job that is not there names no other one', async () => {
    const { json, status } = await new FakeConsole().ask('viewer', 'GET', '/jobs/gone');
    expect(status).toBe(404);
    expect(JSON.stringify(json)).not.toContain('secret-other-job');
  });

  it.each(['', '/config', '/fire-times'])(
    'for a job beyond the prefix is answered as for one that is not there: %s',
    async (part) => {
      const gone = await new FakeConsole().ask('viewer', 'GET', `/jobs/gone${part}`);
      const beyond = await new FakeConsole().ask('finance', 'GET', `/jobs/gone${part}`);
      expect([gone.status, gone.text]).toEqual([404, beyond.text]);
    },
  );
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

describe('what is secret', () => {
  it('is seen by operators, if it is a parameter, and by nobody, if it is a prop', async () => {
    const console = new FakeConsole();
    const seen = async (who: string) => (await console.ask(who, 'GET', '/jobs/settle/config')).json.settings;
    expect(await seen('viewer')).toMatchObject({
      jobParameter: 'hidden',
      shardingItemParameters: 'hidden',
      props: { region: 'eu', 'db.password': 'hidden' },
      cron: '0 0 2 * * ?',
    });
    expect(await seen('operator')).toMatchObject({ jobParameter: 'p4rameter', props: { 'db.password': 'hidden' } });
    expect(await seen('admin')).toMatchObject({ props: { 'db.password': 'hidden' } });
  });

  it.each(['valueOf', 'toString', 'hasOwnProperty', 'constructor', '__proto__'])(
    'is hidden also if its name is %s, which every object has',
    async (name) => {
      const { configurations, audit } = new FakeConsole().parts;
      const props = Object.fromEntries([[name, 'hunter2']]);
      const getJobConfiguration = async () => ({ ...(await configurations.getJobConfiguration('settle'))!, props });
      const read = async () => ({ items: [{ ...ENTRY, after: { props } }], cursor: null });
      const console = new FakeConsole({
        configurations: { ...configurations, getJobConfiguration },
        audit: { ...audit, read },
      });
      const { json, status } = await console.ask('viewer', 'GET', '/jobs/settle/config');
      expect([status, Object.entries(json.settings.props)]).toEqual([200, [[name, 'hidden']]]);
      expect((await console.ask('operator', 'GET', '/audit')).status).toBe(200);
    },
  );

  it('is hidden in items', async () => {
    const console = new FakeConsole();
    const viewers = (await console.ask('viewer', 'GET', '/jobs/settle/items/3')).json;
    expect(viewers).toMatchObject({
      parameter: null,
      task: { detail: 'hidden' },
      lastRun: { error: 'wrong password ***' },
    });
    const operators = (await console.ask('operator', 'GET', '/jobs/settle/items/3')).json;
    expect(operators).toMatchObject({ parameter: 'EU with s3cret', task: { detail: 'hidden' } });
  });

  it('is hidden in streams', async () => {
    const console = new FakeConsole();
    const [frame] = await console.stream('viewer', '/live?topics=jobs,job:settle');
    expect(frame).toContain('"topics":["jobs","job:settle"]');
    expect(frame).toContain('"parameter":null');
    expect(frame).not.toContain('s3cret');
  });

  it('shows neither the text of settings that cannot be read, nor jobs beyond the prefix', async () => {
    const console = new FakeConsole();
    expect((await console.ask('finance', 'GET', '/jobs/unreadable')).status).toBe(404);
    expect((await console.ask('viewer', 'GET', '/jobs/unreadable')).json.problem).toBe('the settings cannot be read');
    expect((await console.ask('finance', 'GET', '/jobs/finance-pay')).json.after).toEqual(['finance-close']);
  });

  it('is a job beyond the prefix, also where settings in the audit and problems name it', async () => {
    const { audit } = new FakeConsole().parts;
    const items = [
      {
        ...ENTRY,
        before: { version: 1, after: ['payroll'] },
        after: { version: 2, after: ['finance-close', 'payroll'] },
      },
      { ...ENTRY, by: 'outside' as const, after: { version: 3, config: 'after: [payroll]' } },
    ];
    const console = new FakeConsole({ audit: { ...audit, read: async () => ({ items, cursor: null }) } });
    expect((await console.ask('finance', 'GET', '/audit')).json.items).toMatchObject([
      { before: { after: [] }, after: { version: 2, after: ['finance-close'] } },
      { after: { version: 3, config: 'hidden' } },
    ]);
    expect((await console.ask('admin', 'GET', '/audit')).json.items).toEqual(items);
  });

  it('is a dump for somebody with a job prefix, since its nodes name other jobs', async () => {
    const console = new FakeConsole();
    const answer = await console.ask('finance', 'GET', '/jobs/finance-pay/dump');
    expect(answer).toMatchObject({ status: 403, json: { code: 'FORBIDDEN' } });
    expect(console.commands).toEqual([]);
  });

  it('is no topic of a stream, if it is a job beyond the prefix', async () => {
    const console = new FakeConsole();
    const answer = await console.ask('finance', 'GET', '/live?topics=job:settle');
    expect(answer).toMatchObject({ status: 404, json: { code: 'UNKNOWN_JOB' } });
    expect(await console.ask('finance', 'GET', '/live?topics=job:FINANCE-pay')).toMatchObject({ status: 404 });
  });
});

const ENTRY = {
  id: '1',
  at: '2030-01-01T00:00:00.000Z',
  who: 'Ada',
  role: 'admin',
  by: 'token',
  address: null,
  requestId: null,
  action: 'job.config',
  target: { job: 'finance-pay' },
  reason: null,
  before: null,
  after: null,
  outcome: 'done',
  code: null,
} as const;

const HISTORY = {
  migrate: async () => {},
  executions: async () => ({ rows: [], cursor: undefined }),
  statuses: async () => ({ rows: [], cursor: undefined }),
  countExecutions: async () => ({ executions: 0, jobs: 0 }),
  countStatuses: async () => 0,
};

describe('the runs of a job', () => {
  it('are missing without a history', async () => {
    const answer = await new FakeConsole().ask('viewer', 'GET', '/jobs/settle/executions');
    expect(answer).toMatchObject({ status: 409, json: { code: 'MISSING_RUN_HISTORY' } });
  });

  it('are those that the query asks for', async () => {
    const executions = vi.fn<(typeof HISTORY)['executions']>(HISTORY.executions);
    const console = new FakeConsole({ sinks: [{ ...HISTORY, executions }] });
    const ask = (query: string) => console.ask('viewer', 'GET', `/jobs/settle/executions?${query}`);

    expect((await ask('outcome=failed&source=FAILOVER&limit=10')).status).toBe(200);
    expect((await ask('source=EVERY')).status).toBe(400);

    const filter = { jobName: 'settle', isSuccess: false, isComplete: true, source: 'FAILOVER', limit: 10 };
    expect(executions.mock.calls).toEqual([[filter]]);
  });

  it('are away with the database, whose error nobody sees', async () => {
    const executions = async () => {
      throw new Error('password authentication failed for user settle');
    };
    const console = new FakeConsole({ sinks: [{ ...HISTORY, executions }] });
    const answer = await console.ask('viewer', 'GET', '/jobs/settle/executions');
    expect(answer).toMatchObject({ status: 503, json: { code: 'HISTORY_AWAY' } });
    expect(answer.text).not.toContain('password');
  });

  it('tell the log why they are away, once until they are back', async () => {
    let error: Error | undefined = new Error('the database is away');
    const executions = async () => {
      if (error !== undefined) throw error;
      return { rows: [], cursor: undefined };
    };
    const console = new FakeConsole({ sinks: [{ ...HISTORY, executions }] });
    const statuses: number[] = [];
    for (const next of [error, error, undefined, error]) {
      error = next;
      statuses.push((await console.ask('viewer', 'GET', '/jobs/settle/executions')).status);
    }
    expect(statuses).toEqual([503, 503, 200, 503]);
    expect(console.errors).toMatchObject([{ message: 'the database is away' }, { message: 'the database is away' }]);
  });
});
