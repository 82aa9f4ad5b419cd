import { randomUUID } from 'node:crypto';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import { startProxy } from '@test/support/zookeeper/zookeeper-proxy.js';
import type { CDPSession, Page } from 'playwright-core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { nothingIsLoading, openTab, stepBack, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const servers = await sharedZooKeeper();
const browsing = useBrowser();
/** Longer than a registry needs to miss its client, and to take it back. */
const AWAY = { timeout: 30_000 };

const status = (page: Page, text: string | RegExp) => page.locator('.bar [role=status]').filter({ hasText: text });
const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });

describe('the stream of changes', () => {
  it('is one for two tabs, and goes on in the second when the first is closed', async () => {
    const { ask, streams, url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.operator });
    const first = await openTab(context, url);
    await status(first, 'Live').waitFor();
    const second = await openTab(context, `${url}jobs`);
    await status(second, 'Live').waitFor();
    await vi.waitFor(() => expect(streams()).toBe(1), 5_000);

    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-1' } });
    await second.getByRole('row', { name: /settle-orders.*Disabled/ }).waitFor();
    await attention(first).getByText('settle-orders').waitFor();
    expect(streams()).toBe(1);

    await first.close();
    await ask('POST', '/jobs/settle-orders/enable', { body: { reason: 'INC-1 is over' } });
    await second.getByRole('row', { name: /settle-orders.*OK/ }).waitFor();
    await vi.waitFor(() => expect(streams()).toBe(1), 5_000);

    await second.close();
    await vi.waitFor(() => expect(streams()).toBe(0), 5_000);
  });

  it(
    'says since when it is stale without a network, keeps what is shown, and goes on by itself',
    { timeout: 60_000 },
    async () => {
      const { ask, url } = await servePage();
      const page = await browsing.visit(url, { as: PEOPLE.operator });
      await status(page, 'Live').waitFor();

      await page.context().setOffline(true);

      await status(page, 'No connection').waitFor(AWAY);
      await page
        .locator('.bar')
        .getByText(/Stale since \d\d:\d\d/)
        .waitFor();
      await attention(page).getByText('Nothing needs attention').waitFor();
      await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-2' } });
      await page.context().setOffline(false);
      await attention(page).getByText('settle-orders').waitFor(AWAY);
      await status(page, 'Live').waitFor(AWAY);
      expect(await page.getByText(/Stale since/).count()).toBe(0);
    },
  );
});

describe('over a real ZooKeeper', () => {
  it(
    'empties no view while it is away, says since when, refuses changes in words, and is live again',
    { timeout: 90_000 },
    async () => {
      const proxy = await startProxy(servers);
      onTestFinished(() => proxy.stop());
      const namespace = `browser/${randomUUID()}`;
      const registry = { type: 'zookeeper', servers: proxy.connect, namespace, allowOpenAcl: true } as const;
      const { ask, url } = await servePage({ options: { registry } });
      const page = await browsing.visit(url, { as: PEOPLE.operator });
      await status(page, 'Live').waitFor(AWAY);
      await vi.waitFor(async () => expect((await ask('GET', '/jobs')).json).toMatchObject({ total: 3 }), AWAY);
      await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-3' } });
      const line = attention(page).getByRole('listitem').filter({ hasText: 'settle-orders' });
      await line.getByText('INC-3').waitFor();

      const tab = (view: string) => openTab(page.context(), `${url}${view}`);
      const [jobs, job, hosts] = [await tab('jobs'), await tab('jobs/settle-orders'), await tab('servers')];
      const rows = () =>
        Promise.all([
          jobs.getByRole('row', { name: /settle-orders/ }).count(),
          job.locator('[aria-label^="Item "]').count(),
          hosts.getByRole('row').count(),
        ]);
      await expect.poll(rows, AWAY).toEqual([1, 3, 2]);

      proxy.block();
      const end = Date.now() + 20_000;

      await status(page, /Registry away· Stale since \d\d:\d\d/).waitFor(AWAY);
      await line.getByText('settle-orders').waitFor();
      await line.getByRole('button', { name: 'Enable' }).click();
      const dialog = page.getByRole('dialog', { name: 'Enable settle-orders' });
      await dialog.getByLabel('Reason').fill('INC-3 is over');
      await dialog.getByRole('button', { name: 'Enable' }).click();
      await dialog.getByText('ZooKeeper does not answer. Nothing was changed.').waitFor(AWAY);

      await expect.poll(() => Date.now() >= end, AWAY).toBe(true);
      expect(await rows()).toEqual([1, 3, 2]);
      proxy.heal();

      await status(page, 'Live').waitFor(AWAY);
      expect(await page.getByText(/Stale since/).count()).toBe(0);
      await dialog.getByRole('button', { name: 'Enable' }).click();
      await dialog.getByText('The job is enabled.').waitFor(AWAY);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await stepBack(page);
      await attention(page).getByText('Nothing needs attention').waitFor(AWAY);
    },
  );
});

describe('200 changes of the view', () => {
  it('leave no stream, listener, timer or detached node', { timeout: 120_000 }, async () => {
    const { streams, url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.admin });
    await context.addInitScript(COUNT_TIMERS);
    const page = await openTab(context, url);
    await status(page, 'Live').waitFor();
    const debug = await context.newCDPSession(page);
    await Promise.all([debug.send('Performance.enable'), debug.send('DOM.enable')]);
    await walk(page, 2);
    const before = await countsOf(page, debug);

    await walk(page, Math.ceil(200 / VIEWS.length));

    const after = await countsOf(page, debug);
    // A garbage collector leaves what it likes, but not something for each change of the view.
    expect(after.listeners - before.listeners).toBeLessThan(50);
    expect(after.nodes - before.nodes).toBeLessThan(100);
    expect(after.detached - before.detached).toBeLessThan(10);
    expect(after.timers).toBeLessThanOrEqual(before.timers + 2);
    await vi.waitFor(() => expect(streams()).toBe(1), 5_000);
  });
});

/** Counts timers that are set and neither due nor cleared. */
const COUNT_TIMERS = `(() => {
  const open = (window.openTimers = new Set());
  const { clearInterval: offInterval, clearTimeout: offTimeout, setInterval: every, setTimeout: after } = window;
  window.setTimeout = (run, ms, ...given) => {
    const id = after((...all) => { open.delete(id); run(...all); }, ms, ...given);
    open.add(id);
    return id;
  };
  window.setInterval = (...given) => {
    const id = every(...given);
    open.add(id);
    return id;
  };
  window.clearTimeout = (id) => { open.delete(id); offTimeout(id); };
  window.clearInterval = (id) => { open.delete(id); offInterval(id); };
})()`;

/** Views by their headings, the overview last. A link in the list of jobs leads to the job. */
const VIEWS = ['Jobs', 'settle-orders', 'Servers', 'Audit', 'Session', 'Overview'];

/** Goes so many times through all views, by the links of the page. */
async function walk(page: Page, rounds: number): Promise<void> {
  const side = page.getByRole('navigation', { name: 'Main' });
  for (const view of Array.from({ length: rounds }, () => VIEWS).flat()) {
    const within = view === 'settle-orders' ? page.getByRole('grid') : side;
    await within.getByRole('link', { name: new RegExp(`^${view}`) }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
  }
}

async function countsOf(page: Page, debug: CDPSession) {
  await nothingIsLoading(page);
  await debug.send('HeapProfiler.collectGarbage');
  await debug.send('HeapProfiler.collectGarbage');
  const { metrics } = await debug.send('Performance.getMetrics');
  const valueOf = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  const timers: number = await page.evaluate('window.openTimers.size');
  // Trees that a script still holds, though they are in no document.
  const { detachedNodes } = await debug.send('DOM.getDetachedDomNodes');
  return { listeners: valueOf('JSEventListeners'), nodes: valueOf('Nodes'), detached: detachedNodes.length, timers };
}
