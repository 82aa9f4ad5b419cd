import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import type { AuditEntry } from '../contract/index.js';

const SEEN = { 'if-match': '"7"' };
const CONFIG = '/jobs/finance-pay/config';

function entry(before: unknown, after: unknown): AuditEntry {
  return {
    id: '1',
    at: '2030-01-01T00:00:00.000Z',
    who: 'Ada',
    role: 'admin',
    by: 'token',
    address: '127.0.0.1',
    requestId: 'request-0',
    action: 'job.config',
    target: { job: 'finance-pay' },
    reason: null,
    before,
    after,
    outcome: 'done',
    code: null,
  };
}

/** The audit with one entry, as somebody reads it. */
async function auditAs(who: string, before: unknown, after: unknown) {
  const { audit } = new FakeConsole().parts;
  const read = async () => ({ items: [entry(before, after)], cursor: null });
  return (await new FakeConsole({ audit: { ...audit, read } }).ask(who, 'GET', '/audit')).json.items[0];
}

describe('a caller with a job prefix is told of no other job', () => {
  it('by changes in the audit', async () => {
    const before = { version: 6, after: ['payroll'] };
    const after = { version: 7, after: ['finance-close', 'payroll'], jobListenerTypes: ['x'] };
    expect(await auditAs('finance', before, after)).toMatchObject({
      before: { version: 6, after: [] },
      after: { version: 7, after: ['finance-close'], jobListenerTypes: ['x'] },
    });
    expect(await auditAs('admin', before, after)).toMatchObject({ before, after });
  });

  it('by settings from outside in the audit', async () => {
    const config = 'jobName: finance-pay\nprops:\n  "nestjs.after": "payroll"';
    expect(JSON.stringify(await auditAs('finance', null, { version: 8, config }))).not.toContain('payroll');
    expect(await auditAs('operator', null, { version: 8, config })).toMatchObject({ after: { config } });
  });
});

describe('jobs that a caller does not see', () => {
  /** A console with a job that runs after others. */
  function consoleAfter(after: readonly string[]) {
    const { configurations } = new FakeConsole().parts;
    const updates: object[] = [];
    const stored = async () => ({ ...(await configurations.getJobConfiguration('finance-pay'))!, after });
    const updateJobConfiguration = async (_job: string, changes: object) => {
      updates.push(changes);
      return { ...(await stored()), version: 8 };
    };
    const given = { ...configurations, getJobConfiguration: stored, updateJobConfiguration };
    return { console: new FakeConsole({ configurations: given }), updates };
  }

  it.each([
    [
      ['finance-close', 'finance-tax'],
      ['finance-close', 'finance-tax', 'payroll'],
    ],
    [[], ['payroll']],
    [null, ['payroll']],
  ])('stay those after which the job runs if the seen ones become %j', async (given, after) => {
    const { console, updates } = consoleAfter(['payroll', 'finance-close']);
    expect((await console.ask('finance', 'GET', CONFIG)).json.settings.after).toEqual(['finance-close']);
    const answer = await console.ask('finance', 'PATCH', CONFIG, { settings: { after: given } }, SEEN);
    expect(answer.status).toBe(200);
    expect(updates).toEqual([{ after }]);
  });

  it('change with a caller who sees them', async () => {
    const { console, updates } = consoleAfter(['payroll', 'finance-close']);
    await console.ask('admin', 'PATCH', CONFIG, { settings: { after: null } }, SEEN);
    expect(updates).toEqual([{ after: null }]);
  });
});
