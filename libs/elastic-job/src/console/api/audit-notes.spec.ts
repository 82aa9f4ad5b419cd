import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import { ConsoleProblem } from '../contract/index.js';
import { CONSOLE_ROUTES } from './console-routes.js';

const LOG_IN = { name: 'Vera', password: 'open sesame' };

function refusing(error: Error) {
  const logIn = async () => {
    throw error;
  };
  return new FakeConsole({ identities: { ...new FakeConsole().parts.identities, logIn } });
}

describe('the audit', () => {
  it('keeps log-ins and log-outs', async () => {
    const console = new FakeConsole();
    await console.ask('', 'POST', '/session', LOG_IN);
    await console.ask('', 'DELETE', '/session');
    const seen = { who: 'Vera', role: 'viewer', address: '127.0.0.1', requestId: 'request-1', outcome: 'done' };
    expect(console.notes).toMatchObject([
      { action: 'session.login', ...seen },
      { action: 'session.logout', ...seen },
    ]);
    expect(JSON.stringify(console.notes)).not.toContain('sesame');
  });

  it('keeps a refused log-in, and its name only if there is such a user', async () => {
    const console = refusing(new ConsoleProblem(401, 'UNAUTHENTICATED', 'The name or the password is wrong.'));
    await console.ask('', 'POST', '/session', LOG_IN);
    await console.ask('', 'POST', '/session', { name: 'my passw0rd', password: 'x' });
    const refused = { action: 'session.login', outcome: 'refused', code: 'UNAUTHENTICATED' };
    expect(console.notes).toMatchObject([
      { ...refused, who: 'Vera' },
      { ...refused, who: null },
    ]);
  });

  it('lets nobody in whose log-in cannot be kept', async () => {
    const console = new FakeConsole();
    const note = async () => {
      throw new ConsoleProblem(503, 'AUDIT_AWAY', 'The audit cannot be written.');
    };
    const away = new FakeConsole({ audit: { ...console.parts.audit, note } });
    const answer = await away.ask('', 'POST', '/session', LOG_IN);
    expect(answer).toMatchObject({ status: 503, json: { code: 'AUDIT_AWAY' } });
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(await away.ask('', 'DELETE', '/session')).toMatchObject({ status: 204 });
  });

  it('keeps a token that lets nobody in, and no request without one', async () => {
    const console = new FakeConsole();
    await console.ask('forged', 'GET', '/jobs');
    await console.ask('', 'GET', '/jobs', undefined, { authorization: undefined });
    expect(console.notes).toMatchObject([{ action: 'session.token', who: null, outcome: 'refused' }]);
    expect(JSON.stringify(console.notes)).not.toContain('forged');
  });

  it.each(CONSOLE_ROUTES.filter(({ isChange }) => isChange))(
    'keeps that $method $path was refused, as the same action as one that is made',
    async ({ method, path }) => {
      const url = path
        .replace(':job', 'settle')
        .replace(':item', '3')
        .replace(':ip', '10.0.0.1')
        .replace(':rerun', 'rerun-1');
      const body = {
        ...(path === '/jobs' && { name: 'new', template: 'report' }),
        ...(method === 'DELETE' && path === '/jobs/:job' && { name: 'settle' }),
        ...(path === '/jobs/:job/reruns' && { items: [3], fireTimes: ['2026-11-22T02:00:00Z'] }),
        ...(method === 'PATCH' && { settings: { description: 'new' } }),
      };
      const console = new FakeConsole();
      await console.ask('admin', method, url, body, { 'if-match': '"7"' });
      await console.ask('viewer', method, url, body);
      const [made] = console.audit;
      // The body names the job that is to be created, and nobody reads that of a viewer.
      const target = path === '/jobs' ? {} : made?.target;
      expect(console.notes).toMatchObject([
        { who: 'Vera', role: 'viewer', action: made?.action, target, outcome: 'refused', code: 'FORBIDDEN' },
      ]);
    },
  );

  it('keeps who asks for a job beyond the own prefix, or for settings of an admin', async () => {
    const console = new FakeConsole();
    await console.ask('finance', 'POST', '/jobs/settle/trigger?preview=true', {});
    await console.ask('operator', 'PATCH', '/jobs/settle/config', { settings: { props: {} } }, { 'if-match': '"7"' });
    expect(console.notes).toMatchObject([
      { who: 'Fin', action: 'job.trigger', target: { job: 'settle' }, code: 'UNKNOWN_JOB' },
      { who: 'Oli', action: 'job.config', target: { job: 'settle' }, code: 'FORBIDDEN' },
    ]);
  });

  it('keeps no read that was refused, and no change that was wrong', async () => {
    const console = new FakeConsole();
    await console.ask('viewer', 'GET', '/audit');
    await console.ask('operator', 'POST', '/jobs/settle/trigger', { unknown: true });
    await console.ask('operator', 'PATCH', '/jobs/settle/config?preview=true', { settings: { props: {} } });
    expect(console.notes).toEqual([]);
  });
});
