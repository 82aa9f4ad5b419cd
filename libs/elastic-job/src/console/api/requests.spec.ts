import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../domain/index.js';
import { ConsoleProblem } from '../contract/index.js';

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

  it('for a stream of the audit needs the role that reads the audit', async () => {
    const console = new FakeConsole();
    const refused = await console.ask('viewer', 'GET', '/live?topics=jobs,audit');
    expect(refused).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', role: 'operator' } });
    expect(await console.stream('operator', '/live?topics=audit')).toHaveLength(1);
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
