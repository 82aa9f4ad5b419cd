import { once } from 'node:events';
import { get } from 'node:http';
import { JobOperateApi } from '@app/elastic-job';
import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { RegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { FRAMEWORKS, ReportTemplate, SettlingJobs, startConsole, TOKENS } from './support/console-application.js';

const redact = (text: string) => text.replaceAll('s3cret', '***');

describe.each(FRAMEWORKS)('the console on %s', { timeout: 60_000 }, (framework) => {
  it('tells a caller with a prefix of no other job, though a job starts after one (A05)', async () => {
    const { ask } = await startConsole({ framework, providers: [SettlingJobs, ReportTemplate] });
    const settings = { after: ['settle-orders'], shardingTotalCount: 1 };
    const body = { name: 'billing-report', template: 'report', settings };
    expect((await ask('POST', '/jobs', { body })).status).toBe(201);
    const token = TOKENS.scoped;
    await vi.waitFor(async () => {
      const { json } = await ask('GET', '/jobs/billing-report', { token });
      expect([json.members?.length, json.after]).toEqual([1, []]);
      expect((await ask('GET', '/servers', { token })).json.items).toHaveLength(1);
    }, 20_000);
    const { ip } = (await ask('GET', '/servers', { token })).json.items[0];
    const read = ['', '/items', '/items/0', '/fire-times', '/failover', '/config', '/dump'];
    for (const path of [
      ...read.map((part) => `/jobs/billing-report${part}`),
      '/jobs',
      '/jobs?q=settle',
      '/overview',
      '/servers',
      `/servers/${ip}`,
      '/audit',
    ]) {
      const { status, text } = await ask('GET', path, { token });
      expect({ path, status, text }).toEqual({
        path,
        status: path.endsWith('/dump') ? 403 : 200,
        text: expect.not.stringMatching(/settle|finance/),
      });
    }
    const change = { settings: { cron: '0 0 3 * * ?' } };
    const headers = { 'if-match': '"0"' };
    const refused = await ask('PATCH', '/jobs/billing-report/config', { token, headers, body: change });
    expect([refused.status, refused.text]).toEqual([400, expect.not.stringMatching(/settle|finance/)]);
  });

  it('takes names that every object has, and depths, for nothing else (A15, A16)', async () => {
    const { ask } = await startConsole({ framework });
    for (const name of ['__proto__', 'constructor', 'toString', 'valueOf']) {
      expect((await ask('GET', `/jobs?${name}=1`)).status).toBe(400);
    }
    const deep = `{"reason":${'['.repeat(45_000)}${']'.repeat(45_000)}}`;
    expect((await ask('POST', '/jobs/billing-run/trigger', { body: deep })).status).toBe(400);

    const config = '/jobs/billing-run/config';
    const headers = { 'if-match': (await ask('GET', config)).headers.get('etag')! };
    const props = { valueOf: 'x', toString: 'y', hasOwnProperty: 'z' };
    expect((await ask('PATCH', config, { headers, body: { settings: { props } } })).status).toBe(200);
    const hidden = { valueOf: 'hidden', toString: 'hidden', hasOwnProperty: 'hidden' };
    expect((await ask('GET', config)).json.settings.props).toEqual(hidden);
    expect((await ask('GET', '/audit')).json.items[0].action).toBe('job.config');
  });

  it('hides in a stream what it hides in an answer, whatever somebody has written (A20, A21)', async () => {
    const { app, ask, base } = await startConsole({ framework, options: { redact } });
    const registry: RegistryCenter = app.get(Symbol.for('nestjs-elastic-job:registry-center'));
    await registry.ensurePath('/lines/config');
    await registry.set('/lines/config', 'jobName: lines\nshardingTotalCount: "a\u2028 hunter2"\ncron: 0 0 2 * * ?\n');
    await vi.waitFor(async () => {
      const { items } = (await ask('GET', '/jobs?attention=unreadable')).json;
      expect(items).toMatchObject([{ job: 'lines', problem: expect.stringContaining('hunter2') }]);
    }, 20_000);
    const stream = get(`${base}/live?topics=job:lines`, {
      agent: false,
      headers: { authorization: `Bearer ${TOKENS.viewer}` },
    });
    const [answer] = await once(stream, 'response');
    const [value] = await once(answer.setEncoding('utf8'), 'data');
    stream.destroy();
    expect(value).toContain('"problem":"the settings cannot be read"');
    expect(value).not.toContain('hunter2');
  });

  it('writes no secret to the log where something fails that nobody foresaw (A20)', async () => {
    const { app, ask } = await startConsole({ framework, options: { redact } });
    const failing = vi.spyOn(app.get(JobOperateApi), 'trigger').mockRejectedValue(new TypeError('no s3cret here'));
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    onTestFinished(() => void vi.restoreAllMocks());
    const { json, status, text } = await ask('POST', '/jobs/settle-orders/trigger', { body: {} });

    expect([status, json.code, failing.mock.calls.length]).toEqual([500, 'INTERNAL', 1]);
    expect(text).not.toMatch(/s3cret|TypeError/);
    const lines = JSON.stringify(logged.mock.calls);
    expect(lines).toContain(json.requestId);
    expect(lines).toContain('no *** here');
    expect(lines).not.toContain('s3cret');
  });
});
