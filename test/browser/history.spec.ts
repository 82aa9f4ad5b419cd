import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { findBarriers } from './support/accessibility.js';
import { nothingIsLoading, openTab, useBrowser, viewIsWhole } from './support/browsing.js';
import { answerHistory } from './support/fake-history.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

/** A viewer's browser, with a made-up history behind the console. */
async function visitHistory(path: string, options: { readonly locale?: 'zh-CN'; readonly width?: number } = {}) {
  const { url } = await servePage();
  const context = await browsing.visitor(url, { as: PEOPLE.viewer, ...options });
  const history = await answerHistory(context);
  return { history, page: await openTab(context, `${url}${path}`), url };
}

describe('the history on the page', () => {
  it('tells what became of each item at each fire time, and leads to the run', async () => {
    const { page } = await visitHistory('jobs/settle-orders');
    const strip = page.getByRole('grid', { name: /^Items by fire times/ });
    await strip.getByRole('link', { name: /^Item 1, .*missed, skipped$/ }).waitFor();

    await strip.getByRole('link', { name: /^Item 2, .*failed$/ }).click();
    await page.getByRole('heading', { name: /^Run of item 2 of settle-orders/ }).waitFor();
    expect(await page.getByRole('row', { name: /BankError/ }).count()).toBe(2);
  });

  it('is gone through by keys, and has a table in the place of each picture', async () => {
    const { page } = await visitHistory('jobs/settle-orders');
    const strip = page.getByRole('grid', { name: /^Items by fire times/ });
    await strip.getByRole('link', { name: /^Item 0, .*done$/ }).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /^Run of item 2/ }).waitFor();
    await page.goBack();

    const timeline = page.getByRole('group', { name: /^4 runs of 3 items over time/ });
    await timeline.focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByText(/^item 1: Lost/).waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/^item 1: Succeeded.* failed over/).waitFor();

    for (const panel of ['Fire times', 'Timeline']) {
      const region = page.getByRole('region', { name: panel }).first();
      await region.getByRole('button', { name: 'Table' }).click();
    }
    await page.getByRole('cell', { name: /missed, skipped: 0–2/ }).waitFor();
    const twin = page.getByRole('grid', { name: 'Timeline' });
    await twin.getByText('Lost').waitFor();
    expect(await twin.getByRole('row').count()).toBe(5);
  });

  it('tells why an item is where it is', async () => {
    const { page } = await visitHistory('jobs/settle-orders?item=1');
    const inspector = page.getByRole('complementary', { name: 'Item 1' });
    await inspector.getByText('Item 1 has come from 10.0.3.11, which has crashed.').waitFor();
    expect(await inspector.getByRole('listitem').getByText('claimed').count()).toBe(1);
  });

  it('keeps a ghost in the map where an instance has crashed', async () => {
    const { page } = await visitHistory('jobs/settle-orders');
    const map = page.locator('.map');
    await map.getByTitle('Item 1 was taken over from here, since this instance has crashed').waitFor();
    expect(await map.getByRole('row', { name: /^10\.0\.3\.11 .*gone/ }).count()).toBe(1);
  });

  it('marks a run that was written before the upgrade, and one that is lost', async () => {
    const { page } = await visitHistory('runs');
    const rows = page.getByRole('grid', { name: 'Runs' }).locator('[role=row]:not(.head)');
    await rows.getByText('no fire time').waitFor();
    await rows.getByText('Lost').waitFor();
    await rows.filter({ hasText: 'no fire time' }).click();
    await page.getByText(/^It was written before the upgrade to this history/).waitFor();
    expect(page.url()).toContain('/runs/old');
  });

  it('saves what is shown, and no text becomes a formula', async () => {
    const { page } = await visitHistory('runs?outcome=failed');
    await nothingIsLoading(page);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const text = await readFile(await download.path(), 'utf8');
    const [head, row] = text.slice(1).split('\r\n');
    expect(head).toMatch(/^id,job,item,fireTime,/);
    expect(row).toMatch(/^failed,settle-orders,2,2026-11-30T02:00:00.000Z,/);
    expect(row).toContain("'=BankError");
  });

  it('shows events by their kind, and all that one tells', async () => {
    const { page } = await visitHistory('jobs/settle-orders/events?kind=missed');
    const rows = page.getByRole('grid', { name: 'Events' }).locator('[role=row]:not(.head)');
    await rows.getByText('1 fire time · skipped').waitFor();
    expect(await rows.count()).toBe(1);
    await rows.click();
    await page.getByRole('complementary', { name: 'Event' }).getByText('"reason": "skipped"').waitFor();
  });

  it('says what to do where there is none, and that its database is away', async () => {
    const { history, page, url } = await visitHistory('runs');
    history.stale = true;
    await page.getByText(/^The database of the history does not answer/).waitFor();
    history.problem = { status: 409, code: 'MISSING_RUN_HISTORY' };
    await page.goto(`${url}runs`);
    await page.getByText('No history of runs').waitFor();
    await page.goto(`${url}events`);
    await page.getByText(/^Nobody keeps runs here\. Give the application a history/).waitFor();
    expect(await page.getByText('This cannot be shown').count()).toBe(0);
  });

  it.each([1_440, 320])('is for everybody, %i pixels wide, also in Chinese', async (width) => {
    const { page, url } = await visitHistory('runs', { locale: 'zh-CN', width });
    for (const path of ['runs', 'runs/failed', 'events?event=crash', 'jobs/settle-orders?item=1']) {
      await page.goto(`${url}${path}`);
      await viewIsWhole(page);
      expect({ path, barriers: await findBarriers(page) }).toEqual({ path, barriers: [] });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect({ path, overflow }).toEqual({ path, overflow: 0 });
    }
  });
});
