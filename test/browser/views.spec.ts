import { ElasticJob } from '@app/elastic-job';
import { MemoryRegistry } from '@app/elastic-job/registry';
import { SystemClock } from '@app/elastic-job/spi';
import { describe, expect, it } from 'vitest';
import { openTab, useBrowser, viewIsWhole } from './support/browsing.js';
import { startOther } from './support/other-instance.js';
import { JOBS, PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

/** Has a text of somebody's, and a secret. */
class PostingJobs {
  @ElasticJob({
    name: 'post-letters',
    shardingTotalCount: 1,
    description: '<b>All</b> letters',
    props: { password: 'open sesame' },
  })
  post(): void {}
}

describe('the tree of a job', () => {
  it('opens node by node, shows values as text, and no secret', async () => {
    const { url } = await servePage({ providers: [PostingJobs] });
    const page = await browsing.visit(`${url}jobs/post-letters/tree`, { as: PEOPLE.viewer });
    const config = page.locator('.tree li').filter({ hasText: 'shardingTotalCount' }).last();
    await config.getByText('<b>All</b> letters').waitFor();
    expect(await page.locator('.tree b').count()).toBe(0);
    expect(await page.locator('main').textContent()).not.toContain('open sesame');

    const server = page.locator('.tree').getByText('ip1', { exact: true });
    await server.waitFor();
    await page.getByRole('button', { name: 'Close all' }).click();
    await server.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'servers', exact: true }).click();
    await server.waitFor();
  });
});

describe('the servers', () => {
  it('show whose clock is wrong, who leaves, and who has disabled a job there', async () => {
    const server = new MemoryRegistry(new SystemClock());
    let deliver = () => {};
    class HaulingJobs {
      @ElasticJob({ name: 'long-haul', resident: true, shardingTotalCount: 1 })
      async haul(): Promise<void> {
        await new Promise<void>((resolve) => (deliver = resolve));
      }
    }
    const { ask, url } = await servePage({ options: { registry: { type: 'memory', server } } });
    const other = await startOther({ type: 'memory', server }, [...JOBS, HaulingJobs], {
      host: '10.0.3.12',
      aheadMs: 90_000,
    });
    const page = await browsing.visit(`${url}servers`, { as: PEOPLE.operator });
    const row = page.getByRole('row', { name: /10\.0\.3\.12/ });
    await row.getByText(/1 m 30 s ahead|1 m 29 s ahead/).waitFor();
    await row.getByText('Runs', { exact: true }).waitFor();

    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Disable billing-run on 10.0.3.12' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable billing-run on 10.0.3.12' });
    await dialog.getByLabel('Reason').fill('INC-1: its disk is full');
    await dialog.getByRole('button', { name: /^Disable/ }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const job = page.getByRole('row', { name: /billing-run/ });
    await job.getByText('Disabled', { exact: true }).waitFor();
    const entry = page.getByRole('listitem').filter({ hasText: 'INC-1: its disk is full' });
    await entry.getByText('otto').waitFor();
    expect((await ask('GET', '/servers/10.0.3.12')).json).toMatchObject({ disabledJobNames: ['billing-run'] });

    const left = other.leave();
    await page
      .locator('.member')
      .getByText(/Draining|Leaves/)
      .waitFor();
    deliver();
    await left;
    await page.getByText('No instance is on this server now').waitFor();
  });
});

describe('the audit', () => {
  it('has a change of the page with its reason and what was before, and filters that can be sent', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-2' } });
    const page = await browsing.visit(`${url}jobs/settle-orders/config`, { as: PEOPLE.operator });
    await page.getByLabel('cron', { exact: true }).fill('0 45 3 * * ?');
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('OPS-3');
    await page.getByRole('button', { name: 'Change the settings' }).click();
    await page.getByText('Version 1 of the settings is in force.').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('link', { name: 'Audit' }).first().click();
    const all = page.getByRole('region', { name: 'Audit' });
    await all.getByText('INC-2').waitFor();
    await page.getByRole('textbox', { name: 'Who' }).fill('otto');
    await page.getByRole('textbox', { name: 'Who' }).press('Enter');
    await page.waitForURL(`${url}audit?who=otto`);
    await page.getByLabel('Action').selectOption({ label: 'Change settings' });
    await page.waitForURL(`${url}audit?who=otto&action=job.config`);

    const other = await browsing.visit(page.url(), { as: PEOPLE.admin });
    const entry = other.getByRole('listitem').filter({ hasText: 'OPS-3' });
    await entry.getByRole('button', { name: 'Details' }).click();
    expect(await entry.getByRole('row').allTextContents()).toContain('cron0 0 2 * * ?0 45 3 * * ?');
    expect(await other.getByText('INC-2').count()).toBe(0);
    expect(await entry.textContent()).toContain('this page, logged in with a password · operator');
  });
});

describe('a session', () => {
  it('is shown with its rights, and a log-out in one tab ends it in all of them', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.scoped });
    const page = await openTab(context, `${url}session`);
    await page.getByText('You also create and remove jobs').waitFor();
    await page.getByText('those whose names begin with billing-').waitFor();
    const other = await openTab(context, `${url}jobs`);
    await other.getByText('1 of 1').waitFor();

    await page.getByRole('main').getByRole('button', { name: 'Log out' }).click();

    await page.getByLabel('Password').waitFor();
    await other.getByRole('dialog', { name: 'Log in again' }).waitFor();
    expect((await context.request.get(`${url}api/v1/jobs`)).status()).toBe(401);
  });
});

describe('the eyes of a viewer', () => {
  /** Names of deeds that are for others. */
  const DEEDS = /Run now|Enable|Disable|Cancel|Reshard|Remove|Shut|Take|More|Review|Confirm|•••/;
  const REASONS = [
    ['', 'It needs the role operator.'],
    ['jobs', undefined],
    ['jobs/settle-orders?item=0', undefined],
    ['jobs/settle-orders/runs', undefined],
    ['jobs/settle-orders/config', 'Your role sees the settings. An operator may change them.'],
    ['jobs/settle-orders/audit', 'It needs the role operator.'],
    ['jobs/settle-orders/tree', undefined],
    ['servers', undefined],
    ['servers/:ip', 'It needs the role operator.'],
    ['audit', 'It needs the role operator.'],
    ['session', 'Parameters, values of props and the audit are hidden.'],
  ] as const;

  it('find no action in any view, and the reason where a part is kept from them', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/billing-run/disable', { body: { reason: 'INC-4' } });
    const [{ ip }] = (await ask('GET', '/jobs/billing-run')).json.servers;
    const page = await browsing.visit(url, { as: PEOPLE.viewer });
    for (const [view, reason] of REASONS) {
      await page.goto(url + view.replace(':ip', ip));
      await viewIsWhole(page);
      if (reason !== undefined) await page.getByText(reason).first().waitFor();
      const names = await page.locator('main').locator('button, [role=button], [role=menuitem]').allTextContents();
      expect({ view, deeds: names.filter((name) => DEEDS.test(name)) }).toEqual({ view, deeds: [] });
    }
  });
});
