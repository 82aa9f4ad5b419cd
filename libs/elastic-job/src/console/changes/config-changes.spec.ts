import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import { ConfigurationNodeError } from '../../coordination/index.js';
import { ConfigurationError } from '../../domain/index.js';
import { RegistryUnavailableError } from '../../registry/index.js';

const CONFIG = '/jobs/settle/config';
const SEEN = { 'if-match': '"7"' };

function change(console: FakeConsole, who: string, settings: object, headers: Readonly<Record<string, string>> = SEEN) {
  return console.ask(who, 'PATCH', CONFIG, { settings }, headers);
}

describe('a change of settings', () => {
  it('is made against the version that was read, and tells what has changed', async () => {
    const console = new FakeConsole();
    const { headers, json, status } = await change(console, 'operator', { description: 'settles all orders' });
    expect(console.commands).toEqual([['update', 'settle', { description: 'settles all orders' }, 7]]);
    expect({ status, etag: headers['etag'], json }).toMatchObject({
      status: 200,
      etag: '"8"',
      json: { version: 8, changes: [{ field: 'description', before: '', after: 'settles all orders' }], audit: '1' },
    });
  });

  it('is redacted where it changes the description, as the description itself is', async () => {
    const console = new FakeConsole();
    for (const query of ['', '?preview=true']) {
      const body = { settings: { description: 'by s3cret' } };
      const { json } = await console.ask('operator', 'PATCH', CONFIG + query, body, SEEN);
      expect(json.changes).toEqual([{ field: 'description', before: '', after: 'by ***' }]);
    }
  });

  it('needs the version', async () => {
    const console = new FakeConsole();
    expect(await change(console, 'operator', { description: 'x' }, {})).toMatchObject({ status: 428 });
    expect(console.commands).toEqual([]);
  });

  it('is refused if somebody has changed them meanwhile, and tells the present version', async () => {
    const console = new FakeConsole();
    const answer = await change(console, 'operator', { description: 'x' }, { 'if-match': '"6"' });
    expect(answer).toMatchObject({ status: 412, json: { code: 'CHANGED', current: 7 } });
    expect(console.commands).toEqual([]);
  });

  it.each([
    [{ shardingTotalCount: 3 }],
    [{ props: { region: 'us' } }],
    [{ jobErrorHandlerType: 'EMAIL' }],
    [{ jobListenerTypes: ['x'] }],
    [{ jobExtraConfigurations: '- !!TRACING' }],
  ])('of %o is for an admin', async (settings) => {
    const console = new FakeConsole();
    const answer = await change(console, 'operator', settings);
    expect(answer).toMatchObject({ status: 403, json: { code: 'FORBIDDEN', role: 'admin' } });
    expect(console.commands).toEqual([]);
  });

  it('leaves as it is what comes back hidden', async () => {
    const console = new FakeConsole();
    const shown = (await console.ask('viewer', 'GET', CONFIG)).json.settings;
    const { jobParameter, props, shardingItemParameters } = shown;
    await change(console, 'admin', { jobParameter, shardingItemParameters, props: { ...props, unheard: 'hidden' } });
    expect(console.commands).toEqual([['update', 'settle', { props: { region: 'eu', 'db.password': 'hunter2' } }, 7]]);
  });

  it('shows the value of a secret neither in the answer nor in the audit', async () => {
    const console = new FakeConsole();
    const { text } = await change(console, 'admin', {
      jobParameter: 'another p4rameter',
      props: { region: 'us', 'db.password': 'hunter3' },
    });
    expect(text).not.toContain('hunter');
    expect(text).toContain('"field":"props.db.password","before":"hidden","after":"hidden"');
    expect(JSON.stringify(console.audit)).not.toMatch(/hunter|p4rameter/);
    expect(console.audit).toMatchObject([
      { end: { version: 8, jobParameter: 'hidden', 'props.db.password': 'hidden' } },
    ]);
  });

  it('is written down with what is wanted before it is made, without secrets', async () => {
    const lost = new RegistryUnavailableError('setData /settle/config', 'unknown', 'the connection broke');
    const console = new FakeConsole({}, { update: lost });
    const answer = await change(console, 'admin', { cron: '0 0 3 * * ?', jobParameter: 'another p4rameter' });
    expect(answer).toMatchObject({ status: 504, json: { code: 'OUTCOME_UNKNOWN' } });
    expect(console.audit).toMatchObject([
      { before: { version: 7 }, after: { cron: '0 0 3 * * ?', jobParameter: 'hidden' } },
    ]);
  });

  it('points to no target that this process does not allow', async () => {
    const console = new FakeConsole();
    const answer = await change(console, 'admin', { props: { 'script.command.line': '/bin/sh -c id' } });
    expect(answer).toMatchObject({
      status: 403,
      json: {
        code: 'TARGET_NOT_ALLOWED',
        option: 'allowRegistryTargets',
        fields: [{ field: 'props.script.command.line' }],
      },
    });
    expect(console.commands).toEqual([]);
  });

  it('names no job beyond the prefix of the caller', async () => {
    const console = new FakeConsole();
    const answer = await console.ask(
      'finance',
      'PATCH',
      '/jobs/finance-pay/config',
      { settings: { after: ['payroll'] } },
      SEEN,
    );
    expect(answer).toMatchObject({ status: 400, json: { fields: [{ field: 'after' }] } });
  });

  it('leave jobs beyond the prefix as they are, which the caller has not seen', async () => {
    const { commands, parts } = new FakeConsole();
    const { configurations } = parts;
    const settings = (await configurations.getJobConfiguration('settle'))!;
    const after = ['finance-close', 'payroll'];
    const getJobConfiguration = async () => ({ ...settings, after });
    const console = new FakeConsole({ configurations: { ...configurations, getJobConfiguration } });
    const edit = (given: unknown) =>
      console.ask('finance', 'PATCH', '/jobs/finance-pay/config', { settings: { after: given } }, SEEN);
    await edit(['finance-close']);
    await edit(null);
    await edit(['finance-open']);

    expect(commands.map(([, , changes]) => changes)).toEqual([
      { after: ['finance-close', 'payroll'] },
      { after: ['payroll'] },
      { after: ['finance-open', 'payroll'] },
    ]);
  });

  it('are refused without the names of jobs beyond the prefix', async () => {
    const { configurations } = new FakeConsole().parts;
    const settings = (await configurations.getJobConfiguration('settle'))!;
    const getJobConfiguration = async () => ({ ...settings, after: ['payroll'] });
    const refused = async () => {
      throw new ConfigurationError('job "finance-pay"', ['after: ["payroll"] and cron exclude each other']);
    };
    const parts = { getJobConfiguration, updateJobConfiguration: refused, previewJobConfiguration: refused };
    const console = new FakeConsole({ configurations: { ...configurations, ...parts } });
    const body = { settings: { cron: '0 0 3 * * ?' } };
    for (const query of ['', '?preview=true']) {
      const answer = await console.ask('finance', 'PATCH', `/jobs/finance-pay/config${query}`, body, SEEN);
      expect(answer).toMatchObject({ status: 400, json: { code: 'CONFIGURATION', fields: [{ field: 'after' }] } });
      expect(answer.text).not.toContain('payroll');
      const own = await console.ask('admin', 'PATCH', `/jobs/finance-pay/config${query}`, body, SEEN);
      expect(own.text).toContain('payroll');
    }
  });

  describe('that break a rule', () => {
    const unreadable = () => {
      const console = new FakeConsole();
      const getJobConfiguration = async (name: string) => {
        throw new ConfigurationNodeError(name, ['cron must be a schedule, but is "s3cret"']);
      };
      return new FakeConsole({ configurations: { ...console.parts.configurations, getJobConfiguration } });
    };

    it('corrects them, made for the version that the job shows', async () => {
      const console = unreadable();
      expect((await console.ask('viewer', 'GET', CONFIG)).status).toBe(409);
      const { configVersion } = (await console.ask('viewer', 'GET', '/jobs/settle')).json;
      const { json, status } = await change(console, 'operator', { cron: '0 0 3 * * ?' });
      expect({ status, json, configVersion }).toMatchObject({
        status: 200,
        json: { changes: [{ field: 'cron', before: 'hidden', after: '0 0 3 * * ?' }] },
        configVersion: 7,
      });
      const older = await change(console, 'operator', { cron: '0 0 3 * * ?' }, { 'if-match': '"6"' });
      expect(older).toMatchObject({ status: 412, json: { current: 7 } });
    });

    it('can be looked at before', async () => {
      const settings = { cron: '0 0 3 * * ?' };
      const answer = await unreadable().ask('operator', 'PATCH', `${CONFIG}?preview=true`, { settings });
      expect(answer).toMatchObject({
        status: 200,
        json: { changes: [{ field: 'cron', before: 'hidden' }], fireTimes: { before: [] } },
      });
    });

    it('leaves no prop as it is, since nobody has seen one', async () => {
      const console = unreadable();
      const answer = await change(console, 'admin', { props: { 'db.password': 'hidden' } });
      expect(answer).toMatchObject({ status: 400, json: { fields: [{ field: 'props.db.password' }] } });
      expect(console.audit).toEqual([]);
    });
  });

  it('tells which settings Java instances would not follow, as they are and as they would be', async () => {
    const console = new FakeConsole();
    const { json } = await console.ask('viewer', 'GET', CONFIG);
    expect(json.unshareable).toEqual(['timeZone']);
    const settings = { timeZone: 'GMT+8:00', clockChange: 'natural' };
    const preview = await console.ask('operator', 'PATCH', `${CONFIG}?preview=true`, { settings });
    expect(preview.json.unshareable).toEqual(['clockChange']);
  });

  it.each(['preview=true', 'preview'])(
    'can be looked at by ?%s, also where nothing may be changed',
    async (preview) => {
      const console = new FakeConsole({ readOnly: true, requireReason: true });
      const settings = { cron: '0 30 3 * * ?' };
      const { json, status } = await console.ask('operator', 'PATCH', `${CONFIG}?${preview}`, { settings });
      expect({ status, json }).toMatchObject({
        status: 200,
        json: {
          version: 7,
          changes: [{ field: 'cron', before: '0 0 2 * * ?', after: '0 30 3 * * ?' }],
          fireTimes: {
            before: expect.arrayContaining(['2030-01-01T02:00:00.000Z']),
            after: expect.arrayContaining(['2030-01-01T03:30:00.000Z']),
          },
        },
      });
      expect(console.commands).toEqual([]);
      expect(console.audit).toEqual([]);
    },
  );
});
