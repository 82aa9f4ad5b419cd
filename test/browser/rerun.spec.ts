import { describe, expect, it } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';
import { findBarriers } from './support/accessibility.js';
import { openTab, useBrowser } from './support/browsing.js';
import { answerHistory } from './support/fake-history.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

/** A fire time of `settle-orders`, which runs at 2 o'clock of this process. */
function yesterdayAtTwo(): Date {
  const at = new Date();
  at.setDate(at.getDate() - 1);
  at.setHours(2, 0, 0, 0);
  return at;
}

/** The strip has one past fire time, at which items 1 and 2 have failed. */
async function failAt(context: BrowserContext, fireTime: Date): Promise<void> {
  await answerHistory(context);
  const columns = [{ fireTime: fireTime.toISOString(), items: 'dff', reasons: [], expected: true }];
  const asOf = new Date().toISOString();
  await context.route(/\/settle-orders\/history$/, (route) =>
    route.fulfill({ json: { asOf, stale: false, columns, expectedFrom: asOf, cut: false, next: [] } }),
  );
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Re-run past fire times of settle-orders' });

/** An operator's view of the job. */
async function visitJob(options: { readonly locale?: 'zh-CN'; readonly as?: 'viewer'; readonly width?: number } = {}) {
  const { ask, url } = await servePage();
  const fireTime = yesterdayAtTwo();
  const context = await browsing.visitor(url, { ...options, as: PEOPLE[options.as ?? 'operator'] });
  await failAt(context, fireTime);
  return { ask, fireTime, page: await openTab(context, `${url}jobs/settle-orders`), url };
}

describe('a re-run', () => {
  it('of two items of a past fire time is chosen in the strip by keys, previewed, and found in the audit', async () => {
    const { ask, page, url } = await visitJob();
    const strip = page.getByRole('grid', { name: /^Items by fire times/ });
    await strip.getByRole('link', { name: /^Item 1, .*failed$/ }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Re-run' }).press('Enter');

    const dialog = dialogOf(page);
    expect(await dialog.getByLabel('Items').inputValue()).toBe('1, 2');
    await dialog.getByRole('row', { name: /\b1 unknown unknown .*at once/ }).waitFor();
    await dialog.getByRole('row', { name: /\b2 unknown unknown .*at once/ }).waitFor();
    await dialog.getByLabel('Reason').fill('INC-4182');
    await dialog.getByLabel('Reason').press('Enter');

    await dialog.getByText(/^Re-run \S+ of 2 targets is asked for\.$/).waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Re-run' }).count()).toBe(0);
    const { items } = (await ask('GET', '/audit?action=job.rerun')).json;
    expect(items).toMatchObject([{ who: 'otto', outcome: 'done', reason: 'INC-4182', after: { items: [1, 2] } }]);
    await page.goto(`${url}jobs/settle-orders/audit`);
    await page.getByText('INC-4182').first().waitFor();
  });

  it('of a time that the schedule lacks offers the times beside it, and that time all the same', async () => {
    const { fireTime, page } = await visitJob();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Re-run past fire times' }).click();
    const dialog = dialogOf(page);
    await dialog.getByText('Choose a fire time.').waitFor();
    const between = new Date(fireTime.getTime() - 3_600_000).toISOString();
    await dialog.getByLabel('Fire times').fill(between);
    await dialog.getByText('It would be refused as it is.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Also at times that the schedule lacks' }).waitFor();

    await dialog.getByRole('button', { name: 'Re-run' }).click();
    await dialog.getByRole('alert').getByText('It was not done').waitFor();
    await dialog
      .getByRole('button', { name: /^Take / })
      .last()
      .click();
    await dialog.getByRole('row', { name: /\b0 unknown .*at once/ }).waitFor();
    await dialog.getByLabel('Fire times').fill(between);
    await dialog.getByRole('button', { name: 'Re-run' }).click();
    await dialog.getByRole('button', { name: 'Run this time all the same' }).click();
    await dialog.getByRole('row', { name: /\b0 unknown .*at once/ }).waitFor();
    expect(await dialog.getByRole('checkbox').isChecked()).toBe(true);
  });

  it('that is open is seen in the panel as far as it has come, until it is withdrawn', async () => {
    const { ask, fireTime, page } = await visitJob();
    await ask('POST', '/jobs/settle-orders/items/2/disable', { body: { reason: 'INC-7' } });
    const body = { items: [1, 2], fireTimes: [fireTime.toISOString()] };
    const { id } = (await ask('POST', '/jobs/settle-orders/reruns', { body })).json;

    const panel = page.getByRole('region', { name: 'Open re-runs' });
    await panel.getByText('1 of 2 targets ended').waitFor();
    await panel.getByText('By item').click();
    await panel.getByRole('row', { name: '1 1 0 0' }).waitFor();
    await panel.getByRole('row', { name: '2 0 0 1' }).waitFor();
    expect(await findBarriers(page)).toEqual([]);

    await panel.getByRole('button', { name: 'Withdraw' }).click();
    const dialog = page.getByRole('dialog', { name: `Withdraw re-run ${id} of settle-orders` });
    await dialog.getByText('What runs now goes on to its end.').waitFor();
    await dialog.getByLabel('Reason').fill('wrong day');
    await dialog.getByRole('button', { name: 'Withdraw' }).click();
    await dialog.getByText('The re-run is withdrawn.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await panel.waitFor({ state: 'detached' });
    const { items } = (await ask('GET', '/audit?action=rerun.withdraw')).json;
    expect(items).toMatchObject([{ who: 'otto', outcome: 'done', reason: 'wrong day', before: { id } }]);
  });

  it('is not for a viewer, who sees why', async () => {
    const { page } = await visitJob({ as: 'viewer' });
    const strip = page.getByRole('grid', { name: /^Items by fire times/ });
    await strip.getByRole('link', { name: /^Item 1, .*failed$/ }).focus();
    await page.keyboard.press('Space');
    const why = page.getByRole('status').getByText('As a viewer you only see. Changes need the role operator.');
    await why.waitFor();
    expect(await page.getByRole('button', { name: 'Re-run' }).count()).toBe(0);
  });

  it.each([1_440, 320])('is asked for in Chinese, %i pixels wide, by everybody', async (width) => {
    const { fireTime, page } = await visitJob({ locale: 'zh-CN', width });
    await page.locator('.job-head .actions [aria-haspopup=menu]').click();
    await page.getByRole('menuitem', { name: '补跑过去的触发时间' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('触发时间').fill(new Date(fireTime.getTime() - 60_000).toISOString());
    await dialog
      .getByText(/^时间表中没有 /)
      .first()
      .waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const overflow = await page.evaluate('document.querySelector("dialog").scrollWidth - innerWidth');
    expect(overflow).toBeLessThanOrEqual(0);
  });
});

describe('the leader of a job', () => {
  it('resigns by the menu of the job, and the audit names who has led', async () => {
    const { ask, page } = await visitJob();
    const { leader } = (await ask('GET', '/jobs/settle-orders')).json;
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Have the leader resign' }).click();
    const dialog = page.getByRole('dialog', { name: 'Have the leader of settle-orders resign' });
    await dialog.getByText(`${leader} leads no longer. Another leader is elected at once.`).waitFor();
    await dialog.getByLabel('Reason').fill('OPS-12');
    await dialog.getByLabel('Reason').press('Enter');
    await dialog.getByText(`${leader} has resigned.`).waitFor();
    const { items } = (await ask('GET', '/audit?action=job.resign')).json;
    expect(items).toMatchObject([{ who: 'otto', outcome: 'done', reason: 'OPS-12', after: { instance: leader } }]);
  });
});
