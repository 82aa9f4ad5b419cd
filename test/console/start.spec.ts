import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { freePort } from '@test/support/zookeeper/loopback.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Program } from '../docs/readme/program.js';

const servers = await sharedZooKeeper();
const cwd = fileURLToPath(new URL('../../', import.meta.url));
/** The sources are compiled at the first start of all. */
const START_MS = 120_000;
/** An instance crashes in the first minute, and its session is over six seconds later. */
const CRASH_MS = 90_000;
const POLL = { timeout: 60_000, interval: 500 };

interface Executions {
  readonly items: readonly { readonly ip: string; readonly source: string }[];
}

/** Starts it on a free port, as a person does. */
const start = (env: Readonly<Record<string, string>> = {}) =>
  new Program('npm', ['start'], { cwd, env: { PORT: '0', ...env } });

/** Logs in as a browser does. @returns what reads the API */
async function logIn(address: string, password: string) {
  const { origin } = new URL(address);
  const answer = await fetch(`${address}api/v1/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'admin', password }),
  });
  expect(answer.status).toBe(200);
  const [cookie = ''] = answer.headers.getSetCookie().map((text) => text.split(';')[0]);
  return async (path: string) => {
    const read = await fetch(`${address}api/v1${path}`, { headers: { cookie } });
    return JSON.parse(await read.text());
  };
}

/** Ends it. @returns how long that took, and whether a process of its group is left */
async function end(app: Program, signal: 'SIGINT' | 'SIGTERM') {
  const begun = performance.now();
  await app.end(signal);
  return { ms: performance.now() - begun, isAlive: isAlive(app.pid) };
}

function isAlive(group: number): boolean {
  try {
    return process.kill(-group, 0);
  } catch {
    return false;
  }
}

const ENDED = { ms: expect.toSatisfy((ms: number) => ms < 10_000), isAlive: false };

describe('npm start without variables', () => {
  let app: Program;
  let address: string;
  let get: Awaited<ReturnType<typeof logIn>>;

  beforeAll(async () => {
    app = start();
    [, address = ''] = await app.says(/console of a demo: +(\S+)/, 0, START_MS);
    const [, password = ''] = await app.says(/Password: +(\S+)/);
    get = await logIn(address, password);
  }, START_MS);
  afterAll(() => app.kill());

  it('leads from / to the console, and answers health probes', async () => {
    const root = await fetch(new URL('/', address), { redirect: 'manual' });
    expect(new URL(root.headers.get('location')!, address).href).toBe(address);
    expect((await fetch(new URL('/health/ready', address))).status).toBe(200);
  });

  it('serves the page, with all that it loads', async () => {
    const html = await (await fetch(address)).text();
    const files = [...html.matchAll(/(?:src|href)="\.\/(assets\/.*?)"/g)].map(([, file]) => new URL(file!, address));
    expect(files.map(({ pathname }) => pathname)).toContainEqual(expect.stringMatching(/\.js$/));
    expect(await Promise.all(files.map(async (file) => (await fetch(file)).status))).toEqual(files.map(() => 200));
  });

  it(
    'shows jobs that fail, run, rest, have nobody, run in tasks and come from a template',
    { timeout: 90_000 },
    async () => {
      await vi.waitFor(async () => {
        const { items }: { readonly items: readonly { readonly job: string }[] } = await get('/jobs?limit=50');
        const jobs = Object.fromEntries(items.map((row) => [row.job, row]));
        expect(jobs).toMatchObject({
          'settle-orders': { label: 'finance', attention: expect.arrayContaining(['failed']) },
          'stock-feed': { resident: true, running: 3 },
          'supplier-import': { status: 'DISABLED' },
          'cart-reminders': { disabledItems: [2] },
          'fax-orders': { status: 'CRASHED', instances: 0 },
          'product-images': { inTasks: true, attention: ['failed'] },
          'invoices-acme': { label: 'finance', template: 'tenant-invoices' },
          'rebuild-recommendations': { cron: null },
        });
      }, POLL);
      expect(await get('/jobs/reorder-proposals')).toMatchObject({ after: ['stock-count'] });
    },
  );

  it('says who has disabled a job and an item, and why', async () => {
    const { disabled } = await get('/jobs/supplier-import');
    expect(disabled).toMatchObject({ by: 'night-shift', reason: expect.stringContaining('empty files') });
    const item = await get('/jobs/cart-reminders/items/2');
    expect(item).toMatchObject({ status: 'DISABLED', disabled: { by: 'mei' } });
  });

  it('has the error of a run that has failed, from its history', { timeout: 90_000 }, async () => {
    const failed = { outcome: 'failed', error: expect.stringMatching(/^BankTimeoutError: no answer from settle/) };
    await vi.waitFor(
      async () => expect(await get('/jobs/settle-orders/items/3')).toMatchObject({ lastRun: failed }),
      POLL,
    );
  });

  it('lets an item misfire', { timeout: 90_000 }, async () => {
    const misfired = { status: 'RUNNING', misfired: true };
    await vi.waitFor(async () => expect(await get('/jobs/ledger-close/items/0')).toMatchObject(misfired), POLL);
  });

  it('lets an instance crash, whose items run again elsewhere', { timeout: CRASH_MS + POLL.timeout }, async () => {
    const [, host] = await app.says(/The instance on (\S+) has crashed/, 0, CRASH_MS);
    await vi.waitFor(async () => {
      const { items }: Executions = await get('/jobs/settle-orders/executions?limit=200');
      const again = items.filter(({ source }) => source === 'FAILOVER');
      expect(again).not.toEqual([]);
      expect(again.map(({ ip }) => ip)).not.toContain(host);
    }, POLL);
  });

  it('ends with all its processes when npm is told to by SIGTERM', { timeout: 30_000 }, async () => {
    // As a browser does it: a connection for what may be asked next.
    const spare = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => {});
    await once(spare, 'connect');

    expect(await end(app, 'SIGTERM')).toEqual(ENDED);
  });
});

describe('npm start', () => {
  it('says in words that its port is taken', { timeout: START_MS }, async () => {
    const other = createServer();
    const port = await freePort();
    await once(other.listen(port, '127.0.0.1'), 'listening');
    onTestFinished(() => void other.close());
    const app = start({ PORT: String(port) });
    onTestFinished(() => app.kill());

    await app.says(new RegExp(`Port ${port} of 127.0.0.1 is taken. Choose another one: PORT=`), 0, START_MS);

    expect(await app.ended).toBe(1);
  });

  it('is the console of a namespace with ELASTIC_JOB_SERVERS, and ends by Ctrl-C', { timeout: START_MS }, async () => {
    const namespace = `console/${randomUUID()}`;
    const app = start({
      ELASTIC_JOB_SERVERS: servers,
      ELASTIC_JOB_NAMESPACE: namespace,
      ELASTIC_JOB_ALLOW_OPEN_ACL: 'true',
      ELASTIC_JOB_CONSOLE_HOST: 'localhost',
    });
    onTestFinished(() => app.kill());
    const [, password = ''] = await app.says(/log in from this host as "admin" with (\S+) until/, 0, START_MS);
    const [, address = ''] = await app.says(/The console is at (\S+)/);
    const get = await logIn(address, password);

    const overview = await get('/overview');

    expect(overview).toMatchObject({ registry: { state: 'CONNECTED', namespace }, instances: 0 });
    expect(await end(app, 'SIGINT')).toEqual(ENDED);
  });
});
