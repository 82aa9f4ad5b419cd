import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationNodeError, ContentionError, PartlyDoneError } from '../../coordination/index.js';
import { TemplateLimitError } from '../../domain/index.js';
import { UnknownServerError } from '../../operations/index.js';
import { RegistryUnavailableError } from '../../registry/index.js';

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
    const disable = new PartlyDoneError('settle', 'setting servers DISABLED', cause, { servers: [] });
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
