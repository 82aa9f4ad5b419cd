import { JobRegistrar } from '@app/elastic-job';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { stepBack, tabTo, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();
/** Less than any part of the page waits before it asks by itself. */
const AT_ONCE = { timeout: 4_000 };

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
const live = (page: Page) => page.locator('.bar [role=status]').filter({ hasText: 'Live' }).waitFor();

describe('what has changed', () => {
  it('is on the overview and in the audit at once, with who did it', async () => {
    const { ask, url } = await servePage();
    const overview = await browsing.visit(url, { as: PEOPLE.operator });
    const audit = await browsing.visit(`${url}audit`, { as: PEOPLE.operator });
    for (const page of [overview, audit]) {
      await live(page);
      await stepBack(page);
    }
    await attention(overview).getByText('Nothing needs attention').waitFor();

    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-31' } });

    await attention(overview).getByRole('link', { name: 'settle-orders' }).waitFor(AT_ONCE);
    await overview.locator('.deed', { hasText: 'INC-31' }).waitFor(AT_ONCE);
    await audit.locator('.entry', { hasText: 'INC-31' }).getByText('done').waitFor(AT_ONCE);
    expect(await overview.locator('.deed', { hasText: 'INC-31' }).count()).toBe(1);
  });

  it('is shown under the focus if the person has changed it', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-32' } });
    const page = await browsing.visit(url, { as: PEOPLE.operator });
    await attention(page).getByRole('button', { name: 'Enable' }).waitFor();
    await tabTo(page, '.actions button');

    await page.keyboard.press('Enter');
    await page.locator('dialog :focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('The job is enabled.').waitFor();
    await page.keyboard.press('Enter');

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await attention(page).getByText('Nothing needs attention').waitFor(AT_ONCE);
    expect((await ask('GET', '/jobs/settle-orders')).json).toMatchObject({ status: 'OK' });
  });

  it('is shown in the settings of a job, once their version is another one', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(`${url}jobs/settle-orders/config`, { as: PEOPLE.operator });
    await live(page);
    const { headers } = await ask('GET', '/jobs/settle-orders/config');

    const { json } = await ask('PATCH', '/jobs/settle-orders/config', {
      body: { settings: { description: 'settles anew' } },
      headers: { 'if-match': headers.get('etag')! },
    });

    await page.getByText(`version ${json.version}`, { exact: true }).waitFor(AT_ONCE);
    expect(await page.getByLabel('Description').inputValue()).toBe('settles anew');
  });

  it('is seen where there was no such job, once it is there', async () => {
    const { app, url } = await servePage();
    const page = await browsing.visit(`${url}jobs/late-job`, { as: PEOPLE.operator });
    await page.getByText('There is no such job').waitFor();
    await live(page);

    await app.get(JobRegistrar).add({ name: 'late-job', shardingTotalCount: 1 }, () => {});

    await page.getByRole('region', { name: 'Items × instances' }).waitFor(AT_ONCE);
    await live(page);
    expect(await page.getByText('There is no such job').count()).toBe(0);
  });
});
