import { launchChromium } from '@test/support/chromium.js';
import { startZooKeeperServer } from '@test/support/faults/index.js';
import { configOf, plant, SERVER_IP } from '@test/support/unit/console-jobs.js';
import type { BrowserContext, Page } from 'playwright-core';
import { SystemClock } from '../../libs/elastic-job/src/clock/index.js';
import { type RegistryCenter, ZooKeeperRegistryCenter } from '../../libs/elastic-job/src/registry/index.js';
import { percentile } from '../scale/statistics.js';
import { startConsoleOf } from './started-console.js';

/** Milliseconds from the acknowledged write to the changed pixel. */
interface Pace {
  readonly view: string;
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

/** A view of the page, its changes, and how one is seen. */
interface View {
  readonly name: string;
  /** Below the path of the console. */
  readonly path: string;
  /** Makes a change, and waits for the answer. @returns an expression that is true once it shows */
  readonly change: (turn: number) => Promise<string>;
}

const NAMESPACE = 'pace';
const ITEMS = 10;
const AT_ONCE = 64;
const clock = new SystemClock();

/**
 * Tells when an expression is true first, after a change of the document, and the frame with it is drawn. The clock of
 * the page is this machine's, as that of this process is.
 */
const TELL_PIXEL = `window.shownAt = (isShown) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('It has not shown within 20 s: ' + isShown)), 20_000);
  const look = () => {
    if (!isShown()) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
  };
  const observer = new MutationObserver(look);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  look();
});`;

/** Plants the jobs, opens each view in turn, and changes something that it shows again and again. */
export async function measurePace(jobs: number, changes: number): Promise<readonly Pace[]> {
  const server = await startZooKeeperServer({ jvmFlags: ['-Dzookeeper.forceSync=no', '-Xmx2g'] });
  const center = new ZooKeeperRegistryCenter({ servers: server.connect, namespace: NAMESPACE }, clock);
  try {
    await center.connect();
    await plantJobs(center, jobs);
    const served = await startConsoleOf(server.connect, NAMESPACE);
    const browser = await launchChromium();
    try {
      const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1_440, height: 1_000 } });
      await served.logIn(context);
      await indexed(context, served.url, jobs);
      const page = await context.newPage();
      const paces: Pace[] = [];
      for (const view of viewsOf(center, context, served.url))
        paces.push(await paceOf(page, served.url, view, changes));
      return paces;
    } finally {
      await browser.close();
      await served.stop();
    }
  } finally {
    await center.close();
    await server.stop();
  }
}

function nameOf(n: number): string {
  return `job-${String(n).padStart(5, '0')}`;
}

async function plantJobs(center: RegistryCenter, jobs: number): Promise<void> {
  for (let from = 0; from < jobs; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, jobs - from) }, (_, n) => from + n);
    await Promise.all(numbers.map((n) => plant(center, nameOf(n), { items: ITEMS, config: ['cron: 0 0 2 * * ?'] })));
  }
}

/** Resolves once the console has read all jobs. */
async function indexed(context: BrowserContext, url: string, jobs: number): Promise<void> {
  for (;;) {
    const answer = await context.request.get(`${url}api/v1/overview`);
    const { indexed: known } = await answer.json();
    if (known === jobs) return;
    await clock.sleep(200);
  }
}

function viewsOf(center: RegistryCenter, context: BrowserContext, url: string): readonly View[] {
  const running = (item: number) => `/${nameOf(7)}/sharding/${item}/running`;
  const disable = (job: string, isDisabled: boolean) =>
    center.set(`/${job}/servers/${SERVER_IP}`, isDisabled ? 'DISABLED' : 'ENABLED');
  const shows = (selector: string, ...parts: readonly string[]) =>
    `[...document.querySelectorAll('${selector}')].some(({ textContent: text }) =>
      ${JSON.stringify(parts)}.every((part) => text.includes(part)))`;
  return [
    {
      name: 'job map, an item begins or ends',
      path: `jobs/${nameOf(7)}`,
      change: async (turn) => {
        // An item that does not run yet, and then that one again, which has ended.
        const item = Math.floor(turn / 2) % ITEMS;
        if (turn % 2 === 0) await center.create(running(item), '', 'EPHEMERAL');
        else await center.delete(running(item));
        const is = `(document.querySelector('.legend .mark.running') !== null)`;
        return turn % 2 === 0 ? is : `!${is}`;
      },
    },
    {
      name: 'jobs list, a job is disabled or enabled',
      path: 'jobs',
      change: async (turn) => {
        await disable(nameOf(5), turn % 2 === 0);
        const is = shows('[role=row]', nameOf(5), 'Disabled');
        return turn % 2 === 0 ? is : `!${is}`;
      },
    },
    {
      name: 'overview, a job that was not shown is disabled, or enabled',
      path: '',
      change: async (turn) => {
        const job = nameOf(100 + Math.floor(turn / 2));
        await disable(job, turn % 2 === 0);
        const is = shows('.causes .job', job);
        return turn % 2 === 0 ? is : `!${is}`;
      },
    },
    {
      name: 'audit, a change of this console',
      path: 'audit',
      change: async (turn) => {
        const reason = `INC-${turn}`;
        const data = { reason };
        const headers = { origin: new URL(url).origin };
        const path = `jobs/${nameOf(9)}/${turn % 2 === 0 ? 'disable' : 'enable'}`;
        const answer = await context.request.post(`${url}api/v1/${path}`, { headers, data });
        if (!answer.ok()) throw new Error(await answer.text());
        return shows('.entries li', `“${reason}”`, 'done');
      },
    },
    {
      name: 'audit, settings changed without a console',
      path: 'audit',
      change: async (turn) => {
        const job = nameOf(200 + turn);
        await center.set(`/${job}/config`, configOf(job, ITEMS, ['cron: 0 0 4 * * ?']));
        return shows('.entries code', job);
      },
    },
    {
      name: 'configuration, changed without a console',
      path: `jobs/${nameOf(11)}/config`,
      change: async (turn) => {
        const { version } = await center.set(
          `/${nameOf(11)}/config`,
          configOf(nameOf(11), ITEMS, [`cron: 0 ${turn + 1} 3 * * ?`]),
        );
        return shows('.configuration .dim', `version ${version}`);
      },
    },
  ];
}

async function paceOf(page: Page, url: string, { change, name, path }: View, changes: number): Promise<Pace> {
  await page.goto(url + path);
  await page.locator('.bar [role=status]').filter({ hasText: 'Live' }).waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate(TELL_PIXEL);
  const took: number[] = [];
  for (let turn = 0; turn < changes; turn += 1) {
    // At no fixed phase of any timer.
    await clock.sleep(700 + Math.random() * 500);
    const isShown = await change(turn);
    const acknowledgedAt = Date.now();
    const shownAt = await page.evaluate<number>(`window.shownAt(() => ${isShown})`);
    took.push(Math.max(0, shownAt - acknowledgedAt));
  }
  return { view: name, p50: percentile(took, 0.5), p95: percentile(took, 0.95), max: Math.max(...took) };
}
