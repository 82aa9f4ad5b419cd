import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';

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
