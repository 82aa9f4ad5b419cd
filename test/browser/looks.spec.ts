import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { findBarriers } from './support/accessibility.js';
import { SOON, useBrowser, viewIsWhole } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();
const VIEWS = [
  '',
  'jobs',
  'jobs?q=nothing',
  'jobs?attention=any',
  'new-job',
  'jobs/ledger-close',
  'jobs/ledger-close/runs',
  'jobs/ledger-close/config',
  'jobs/ledger-close/events',
  'jobs/ledger-close/audit',
  'jobs/ledger-close/tree',
  'runs',
  'runs/none',
  'events',
  'servers',
  'audit',
  'session',
];
const WIDTHS = [1_440, 390, 320];
/** Texts of jobs, which are shown as they are. */
const FOREIGN = ['Closes the ledger', 'no bills today', 'The ledger is open elsewhere.'];

/** A console with a job that fails, one that is disabled, and entries of the audit. */
async function serveTroubles() {
  const served = await servePage();
  await served.ask('POST', '/jobs/ledger-close/trigger', { body: { reason: 'OPS-1' } });
  await served.ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-1: no bills today' } });
  return served;
}

/** Three English words in a row, in what is seen and in what readers of screens hear, outside of registry's texts. */
async function englishIn(page: Page): Promise<readonly string[]> {
  const texts: readonly string[] = await page.evaluate(`(() => {
    const isOurs = (element) => element.closest('bdi, code, pre, .mono, script, noscript, style, datalist') === null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (walker.nextNode()) if (isOurs(walker.currentNode.parentElement)) found.push(walker.currentNode.data);
    for (const name of ['aria-label', 'title', 'placeholder']) {
      for (const element of document.querySelectorAll('[' + name + ']')) found.push(element.getAttribute(name));
    }
    return found;
  })()`);
  const ours = texts.map((text) => FOREIGN.reduce((rest, one) => rest.replaceAll(one, ''), text));
  return ours.filter((text) => /[a-z]+,? [a-z]+,? [a-z]+/i.test(text));
}

/** Findings of axe in both themes. */
async function barriersOn(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    found.push(...(await findBarriers(page)).map((barrier) => `${colorScheme}: ${barrier}`));
  }
  return found;
}

it('axe finds nothing on any view, nor on the log-in and a dialog, in both themes', { timeout: 90_000 }, async () => {
  const { url } = await serveTroubles();
  const stranger = await browsing.visit(url);
  await stranger.getByLabel('Name').waitFor();
  expect({ view: 'log-in', barriers: await barriersOn(stranger) }).toEqual({ view: 'log-in', barriers: [] });

  const page = await browsing.visit(url, { as: PEOPLE.admin });
  for (const view of VIEWS) {
    await page.goto(`${url}${view}`);
    await viewIsWhole(page);
    expect({ view, failed: await page.getByText('This cannot be shown').count() }).toEqual({ view, failed: 0 });
    expect({ view, barriers: await barriersOn(page) }).toEqual({ view, barriers: [] });
  }
  await page.goto(url);
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').waitFor();
  expect({ view: 'change', barriers: await barriersOn(page) }).toEqual({ view: 'change', barriers: [] });
});

it('no view is wider than the screen', { timeout: 60_000 }, async () => {
  const { url } = await serveTroubles();
  const page = await browsing.visit(url, { as: PEOPLE.admin });
  for (const view of VIEWS) {
    await page.goto(`${url}${view}`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await viewIsWhole(page);
      const beyond = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      expect({ width, view, beyond }).toEqual({ width, view, beyond: 0 });
    }
  }
});

describe('the theme', () => {
  it('follows the device, until another one is chosen, which is kept', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { theme: 'dark', as: PEOPLE.viewer });
    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    const dark = await ground();

    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Light' }).click();

    const light = await ground();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await ground()).toBe(light);
  });
});

describe('in Chinese', () => {
  it('the page speaks as the browser does, with a log-in, dates and a zone', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: '供应商维护' } });
    const stranger = await browsing.visit(url, { locale: 'zh-CN' });
    await stranger.getByRole('button', { name: '登录' }).waitFor();

    const page = await browsing.visit(url, { locale: 'zh-CN', as: PEOPLE.admin });

    await page.getByRole('region', { name: '需要关注' }).getByText('供应商维护').waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toMatch(/^zh/);
    await page.locator('.bar').getByText('Europe/Berlin').waitFor();
    await page.goto(`${url}jobs`);
    await page.getByText('3 / 3').or(page.getByText(/3.*3/)).first().waitFor();
  });

  it(
    'no view, form or dialog has an English sentence, but for texts of the registry',
    { timeout: 60_000 },
    async () => {
      const { url } = await serveTroubles();
      const stranger = await browsing.visit(url, { locale: 'zh-CN' });
      await stranger.getByRole('button', { name: '登录' }).waitFor();
      expect(await englishIn(stranger)).toEqual([]);

      const page = await browsing.visit(url, { locale: 'zh-CN', as: PEOPLE.admin });
      for (const view of [...VIEWS, 'jobs/ledger-close?item=0', 'jobs/nothing']) {
        await page.goto(`${url}${view}`);
        await viewIsWhole(page);
        expect({ view, english: await englishIn(page) }).toEqual({ view, english: [] });
      }
      await page.goto(`${url}jobs/settle-orders`);
      await page.getByRole('button', { name: '禁用' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await englishIn(page)).toEqual([]);
    },
  );

  it('is chosen in the menu, and kept', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.viewer });

    await page.getByRole('button', { name: /Language/ }).click();
    await page.getByRole('menuitemradio', { name: '中文' }).click();

    await page.getByRole('heading', { name: '需要关注' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: '需要关注' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toMatch(/^zh/);
  });
});

describe('on a phone', () => {
  it('a menu leads to the views, and to what does not fit into the bar', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url, { width: 390, as: PEOPLE.viewer });
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    expect(await page.getByRole('navigation').isVisible()).toBe(false);

    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('menuitem', { name: 'Jobs' }).tap();

    await page.waitForURL(`${url}jobs`);
    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
    await page.getByRole('button', { name: 'Menu' }).tap();
    await page.getByRole('menuitem', { name: 'Log out' }).tap();
    await page.getByLabel('Password').waitFor();
  });

  it('a row of the list has its job, its state and its next time, and opens by a tap', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-2' } });
    const page = await browsing.visit(`${url}jobs`, { width: 390, as: PEOPLE.viewer });
    const row = page.getByRole('row', { name: /billing-run/ });

    await row.getByText('Disabled').waitFor();
    await row.getByRole('link', { name: /billing-run/ }).tap();

    await expect.poll(() => page.url(), SOON).toBe(`${url}jobs/billing-run`);
  });

  it('a job is disabled by touch alone', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(`${url}jobs`, { width: 390, as: PEOPLE.operator });
    await page.getByRole('link', { name: 'billing-run' }).tap();
    await page.getByRole('button', { name: 'Disable' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Disable billing-run' });
    await dialog.getByLabel('Reason').tap();
    await page.keyboard.insertText('INC-3: on call');
    await dialog.getByRole('button', { name: 'Disable' }).tap();
    await dialog.getByText('The job is disabled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).tap();

    await page.getByText('The job, by otto').waitFor();
    expect((await ask('GET', '/jobs/billing-run')).json.disabled).toMatchObject({ reason: 'INC-3: on call' });
  });
});
