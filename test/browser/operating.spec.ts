import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { SOON, stepBack, tabTo, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
const audit = (page: Page) => page.getByRole('region', { name: 'Who changed what' });

describe('the overview', () => {
  it('shows a job that fails, and one that is disabled with who did it and why', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/ledger-close/trigger', { body: { reason: 'OPS-1' } });
    await ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-2: no bills today' } });
    const page = await browsing.visit(url, { as: PEOPLE.operator });

    const failed = attention(page).getByRole('listitem').filter({ hasText: 'ledger-close' });
    await failed.getByText('Failed', { exact: true }).waitFor();
    await failed.getByText('Item 0 (1 item in all)').waitFor();
    const disabled = attention(page).getByRole('listitem').filter({ hasText: 'billing-run' });
    await disabled.getByText('The job, by admin').waitFor();
    await disabled.getByText('INC-2: no bills today').waitFor();
    await expect.poll(() => audit(page).textContent(), SOON).toContain('INC-2: no bills today');
  });

  it('shows soon that somebody else has disabled a job', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(url, { as: PEOPLE.operator });
    await page.getByText('Nothing needs attention').waitFor();
    await page.getByRole('status').getByText('Live', { exact: true }).waitFor();

    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-3' } });

    await expect.poll(() => attention(page).textContent(), SOON).toContain('settle-orders');
  });

  it('runs a job that has failed once more, and shows who has asked for it', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/ledger-close/trigger', { body: { reason: 'OPS-1' } });
    const page = await browsing.visit(url, { as: PEOPLE.operator });

    await attention(page).getByRole('button', { name: 'Run now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Run ledger-close now' });
    await dialog.getByText('Its one instance is asked to run its items once, now.').waitFor();
    await dialog.getByLabel('Reason').fill('OPS-4: the ledger is closed now');
    await dialog.getByRole('button', { name: 'Run now' }).click();

    await dialog.getByText('1 instance was asked.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const entry = audit(page).getByRole('listitem').filter({ hasText: 'OPS-4' });
    await entry.getByText('otto').waitFor({ timeout: 20_000 });
    expect(await entry.textContent()).toContain('triggered');
  });

  it('asks for a reason where the console wants one, and sends nothing without it', async () => {
    const { ask, url } = await servePage({ console: { requireReason: true } });
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-5' } });
    const page = await browsing.visit(url, { as: PEOPLE.operator });

    await attention(page).getByRole('button', { name: 'Enable' }).click();
    const dialog = page.getByRole('dialog', { name: 'Enable settle-orders' });
    await dialog.getByText('INC-5').waitFor();
    await dialog.getByText('This console asks for a reason.').waitFor();
    await dialog.getByLabel('Reason').press('Enter');
    expect((await ask('GET', '/jobs/settle-orders')).json).toMatchObject({ status: 'DISABLED' });

    await dialog.getByLabel('Reason').fill('INC-5 is over');
    await dialog.getByRole('button', { name: 'Enable' }).click();
    await dialog.getByText('The job is enabled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await stepBack(page);
    await page.getByText('Nothing needs attention').waitFor();
  });

  it('offers no change to a viewer, and says whose role it needs', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-6' } });
    const page = await browsing.visit(url, { as: PEOPLE.viewer });

    await attention(page).getByText('settle-orders').waitFor();

    expect(await attention(page).getByRole('button').count()).toBe(0);
    await audit(page).getByText('It needs the role operator.').waitFor();
    await attention(page).getByRole('link', { name: 'Open' }).click();
    await page.getByText('As a viewer you only see. Changes need the role operator.').waitFor();
  });
});

describe('the list of jobs', () => {
  const search = (page: Page) => page.getByRole('searchbox', { name: 'Search name, label, description, cron' });

  it('finds a job by its label, keeps the search in the address, and says that nothing matches', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.viewer });
    await page.getByText('3 of 3').waitFor();

    await search(page).fill('finance');
    await page.getByText('2 of 3').waitFor();
    await page.waitForURL(`${url}jobs?q=finance`);
    await page.getByRole('row', { name: /billing-run/ }).waitFor({ state: 'detached' });

    await search(page).fill('nothing has this');
    await page.getByText('No job matches').waitFor();
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByText('3 of 3').waitFor();
    expect(await search(page).inputValue()).toBe('');
  });

  it('keeps its filters in an address that can be sent to somebody else', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-7' } });
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.viewer });
    await page.getByLabel('Status').selectOption({ label: 'Disabled' });
    await page.waitForURL(`${url}jobs?status=DISABLED`);

    const other = await browsing.visit(page.url(), { as: PEOPLE.operator });

    await other.getByText('1 of 3').waitFor();
    expect(await other.getByRole('row', { name: /billing-run/ }).textContent()).toContain('Disabled');
  });

  it('follows what becomes of a job while nobody is on its row', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.viewer });
    const row = page.getByRole('row', { name: /billing-run/ });
    await row.getByText('OK').waitFor();

    await ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-8' } });

    await expect.poll(() => row.textContent(), SOON).toContain('Disabled');
  });
});

describe('the keyboard alone', () => {
  it('logs in, reaches a job in the list by arrows, and opens it', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(`${url}jobs`);
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('vera');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PEOPLE.viewer.password);
    await page.keyboard.press('Enter');
    await page.getByText('3 of 3').waitFor();

    await tabTo(page, '[role=row]');
    await page.keyboard.press('ArrowDown');
    await page.locator(':focus', { hasText: /^ledger-close/ }).waitFor();
    await page.keyboard.press('End');
    await page.locator(':focus', { hasText: /^settle-orders/ }).waitFor();
    await page.keyboard.press('Enter');

    await expect.poll(() => page.url(), SOON).toBe(`${url}jobs/settle-orders`);
  });

  it('logs in, finds a job by Ctrl K, runs it, and reads what became of it', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(url);
    await page.getByLabel('Name').waitFor();
    await page.keyboard.type('otto');
    await page.keyboard.press('Tab');
    await page.keyboard.type(PEOPLE.operator.password);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing needs attention').waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('settle');
    await page.keyboard.press('Enter');
    await page.getByText('1 of 3').waitFor();
    expect(page.url()).toBe(`${url}jobs?q=settle`);
    await tabTo(page, '[role=row]');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'settle-orders' }).waitFor();
    await tabTo(page, '.job-head .actions .btn.main');
    await page.keyboard.press('Enter');
    await page.keyboard.type('OPS-5');
    await page.keyboard.press('Enter');

    await page.locator('dialog:focus-within').getByText('1 instance was asked.').waitFor();
    await page.keyboard.press('Enter');
    await page.locator(':focus', { hasText: /^Run now$/ }).waitFor();
    await expect.poll(() => page.locator('[aria-label^="Item 2: done"]').count(), SOON).toBe(1);
    expect((await ask('GET', '/audit?action=job.trigger')).json.items).toMatchObject([
      { who: 'otto', reason: 'OPS-5' },
    ]);
  });

  it('makes a change, after which the focus is where it was', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-9' } });
    const page = await browsing.visit(url, { as: PEOPLE.operator });
    await attention(page).getByRole('button', { name: 'Enable' }).waitFor();

    await tabTo(page, '.actions button');
    // The next key is for the dialog, however soon it comes.
    const isWithin = await page.evaluate(`new Promise((resolve) => {
      document.activeElement.click();
      setTimeout(() => resolve(document.activeElement.closest('dialog[open]') !== null));
    })`);
    expect(isWithin).toBe(true);
    await page.getByRole('dialog', { name: 'Enable settle-orders' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.locator(':focus', { hasText: /^Enable$/ }).waitFor();

    // A key that is held down repeats itself.
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.keyboard.type('INC-9 is over');
    await page.keyboard.press('Enter');
    await page.getByText('The job is enabled.').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo(page, '.count a, a.dim');
    await page.getByText('Nothing needs attention').waitFor();
    const { items } = (await ask('GET', '/audit?action=job.enable')).json;
    expect(items).toMatchObject([{ who: 'otto', outcome: 'done', reason: 'INC-9 is over' }]);
  });
});
