import { randomUUID } from 'node:crypto';
import { ElasticJob } from '@app/elastic-job';
import { startFaultProxy } from '@test/support/faults/fault-proxy.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ReportTemplate, SettlingJobs, startConsole } from './support/console-application.js';

const servers = await sharedZooKeeper();

/** A job whose item runs until it is told to stop. */
class EndlessJob {
  @ElasticJob({ name: 'endless', cron: '0 0 4 * * ?', shardingTotalCount: 1 })
  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  }
}

const JOB = '/jobs/settle-orders';
/** Changes in an order in which each one has something to change. The server is named by `:ip`. */
const CHANGES: readonly (readonly [string, string, object?])[] = [
  ['POST', `${JOB}/trigger`],
  ['POST', `${JOB}/disable`],
  ['POST', `${JOB}/enable`],
  ['POST', `${JOB}/reshard`],
  ['PATCH', `${JOB}/config`, { settings: { cron: '0 0 5 * * ?' } }],
  ['POST', `${JOB}/items/0/disable`],
  ['POST', `${JOB}/items/0/enable`],
  ['POST', '/jobs/endless/items/0/cancel'],
  ['POST', `/servers/:ip${JOB}/disable`],
  ['POST', `/servers/:ip${JOB}/enable`],
  ['POST', '/servers/:ip/disable'],
  ['POST', '/servers/:ip/enable'],
  ['POST', `${JOB}/shutdown`],
  ['POST', '/servers/:ip/shutdown'],
  ['POST', '/jobs', { name: 'made', template: 'report', settings: { cron: '0 0 6 * * ?', shardingTotalCount: 1 } }],
  ['DELETE', '/jobs/billing-run', { name: 'billing-run' }],
];

it('says of each change whose reply is lost that nobody knows, where to look, and does not repeat it', async () => {
  const namespace = `console/${randomUUID()}`;
  const proxy = await startFaultProxy(Number(servers.split(':')[1]));
  onTestFinished(() => proxy.stop());
  const over = (list: string) => ({
    registry: { type: 'zookeeper', servers: list, namespace, allowOpenAcl: true } as const,
  });
  await startConsole({ options: { ...over(servers), drainTimeoutMs: 1_000 }, providers: [SettlingJobs, EndlessJob] });
  // Nothing but the console writes over the network that is broken.
  const { ask } = await startConsole({
    options: { ...over(proxy.connect), processing: false },
    providers: [ReportTemplate],
  });
  await vi.waitFor(async () => {
    const { items } = (await ask('GET', '/jobs')).json;
    expect(items.map(({ leader }: { leader: unknown }) => typeof leader)).toEqual(['string', 'string', 'string']);
  }, 20_000);
  const { ip } = (await ask('GET', '/servers')).json.items[0];
  await ask('POST', '/jobs/endless/trigger', { body: {} });
  await vi.waitFor(async () => expect((await ask('GET', '/jobs/endless/items/0')).json.status).toBe('RUNNING'), 10_000);

  for (const [method, path, body = {}] of CHANGES) {
    const url = path.replace(':ip', ip);
    const etag = method === 'PATCH' ? (await ask('GET', url)).headers.get('etag') : null;
    const lost = proxy.dropReplyAfter(1);
    const answer = await ask(method, url, { body, headers: etag === null ? {} : { 'if-match': etag } });
    expect({ path, status: answer.status, json: answer.json }).toMatchObject({
      path,
      status: 504,
      json: { code: 'OUTCOME_UNKNOWN', look: expect.stringMatching(/^\/elastic-job\/api\/v1\/(?:jobs|servers)/) },
    });
    await lost;
    await proxy.heal();
    await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json.stale).toBe(false), 20_000);
    const { items } = (await ask('GET', '/audit?limit=200')).json;
    const own = items.filter(({ requestId }: { requestId: string }) => requestId === answer.json.requestId);
    expect(own).toMatchObject([{ outcome: 'unknown', code: 'REGISTRY_UNAVAILABLE', who: 'admin' }]);
    const look = answer.json.look.replace('/elastic-job/api/v1', '');
    expect([200, 404]).toContain((await ask('GET', look)).status);
  }
}, 120_000);
