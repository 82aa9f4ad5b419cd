import { randomUUID } from 'node:crypto';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import {
  creation,
  type RegistryCenter,
  RegistryUnavailableError,
  ZooKeeperRegistryCenter,
} from '../../libs/elastic-job/src/registry/index.js';
import { ReportTemplate, startConsole } from './support/console-application.js';

const servers = await sharedZooKeeper();
const JOB = 'made';
const CONFIG = `/${JOB}/config`;
/** More nodes than one transaction removes. */
const MANY = 2_500;

/** A console that runs no jobs, a job that it has created, and another client of the namespace. */
async function start() {
  const place = { servers, namespace: `console/${randomUUID()}`, allowOpenAcl: true };
  const { app, ask } = await startConsole({
    options: { registry: { type: 'zookeeper', ...place }, processing: false },
    providers: [ReportTemplate],
  });
  const other = new ZooKeeperRegistryCenter(
    { ...place, sessionTimeoutMs: 10_000, requestTimeoutMs: 5_000 },
    new SystemClock(),
  );
  await other.connect();
  onTestFinished(() => other.close());
  const settings = { cron: '0 0 6 * * ?', shardingTotalCount: 1 };
  const created = await ask('POST', '/jobs', { body: { name: JOB, template: 'report', settings } });
  expect(created.status).toBe(201);
  await other.create(`/${JOB}/servers`, '', 'PERSISTENT');
  await other.create(`/${JOB}/servers/10.0.0.1`, 'ENABLED', 'PERSISTENT');

  /** Sends a change, of which the other client keeps the second step from being made, and then sends it again. */
  const askTwice = async (
    request: { readonly method: string; readonly url: string; readonly body: object; readonly action: string },
    others: Record<'before' | 'after', (nth: number) => Promise<unknown>>,
  ) => {
    const { action, body, method, url } = request;
    const registry: RegistryCenter = app.get(Symbol.for('nestjs-elastic-job:registry-center'));
    const transaction = registry.transaction.bind(registry);
    let nth = 0;
    const spied = vi.spyOn(registry, 'transaction').mockImplementation(async (...given) => {
      nth += 1;
      await others.before(nth);
      const result = await transaction(...given);
      await others.after(nth);
      return result;
    });
    expect(await ask(method, url, { body })).toMatchObject({
      status: 503,
      json: {
        code: 'PARTLY_DONE',
        detail: expect.stringContaining('send the same request again'),
        look: `/elastic-job/api/v1/jobs/${JOB}`,
      },
    });
    spied.mockRestore();
    expect(await ask(method, url, { body })).toMatchObject({ status: 200 });
    const { items } = (await ask('GET', `/audit?action=${action}`)).json;
    expect(items).toMatchObject([
      { outcome: 'done', code: null },
      { outcome: 'failed', code: 'PARTLY_DONE' },
    ]);
    return items[1];
  };
  return { ask, askTwice, other };
}

const nothing = async () => {};
/** The connection is gone before the second transaction is sent. */
const cut = async (nth: number) => {
  if (nth > 1) throw new RegistryUnavailableError('transaction', 'not-applied', 'there is no connection');
};

it('says of the switch of a job that a server joins what is done, and does the rest when asked again', async () => {
  const { ask, askTwice, other } = await start();
  const { data: former } = (await other.read(CONFIG))!;
  const rewritten = () => other.set(CONFIG, former);

  const failed = await askTwice(
    { method: 'POST', url: `/jobs/${JOB}/disable`, body: {}, action: 'job.disable' },
    {
      before: (nth) => (nth === 1 ? other.create(`/${JOB}/servers/10.0.0.7`, 'ENABLED', 'PERSISTENT') : rewritten()),
      after: async (nth) => nth === 1 && rewritten(),
    },
  );

  expect(failed.after).toMatchObject({ servers: ['10.0.0.1'], newServers: 'switched', version: 1 });
  const shown = (await ask('GET', `/jobs/${JOB}`)).json;
  expect(shown.servers).toMatchObject([
    { ip: '10.0.0.7', disabled: true },
    { ip: '10.0.0.1', disabled: true },
  ]);
}, 60_000);

it('says of the removal of a created job that it has begun, and ends it when asked again', async () => {
  const { ask, askTwice, other } = await start();

  await askTwice(
    { method: 'DELETE', url: `/jobs/${JOB}`, body: { name: JOB }, action: 'job.remove' },
    {
      before: cut,
      after: nothing,
    },
  );

  expect(await other.children('/')).toEqual([]);
  expect((await ask('GET', `/jobs/${JOB}`)).status).toBe(404);
}, 60_000);

it('says of the removal of a large job that it has begun, and ends it when asked again', async () => {
  const { ask, askTwice, other } = await start();
  await other.set(`/${JOB}`, 'com.acme.OrderJob'); // The root of a job that no template has.
  await other.set(CONFIG, (await other.read(CONFIG))!.data.replace(/.*nestjs.template.*\n/, ''));
  const nodes = Array.from({ length: MANY }, (_, n) => creation(`/${JOB}/servers/n${n}`, 'ENABLED'));
  for (let from = 0; from < MANY; from += 500) await other.transaction(nodes.slice(from, from + 500));

  await askTwice(
    { method: 'DELETE', url: `/jobs/${JOB}`, body: { name: JOB }, action: 'job.remove' },
    { before: cut, after: nothing },
  );

  expect(await other.children('/')).toEqual([]);
  expect((await ask('GET', `/jobs/${JOB}`)).status).toBe(404);
}, 60_000);
