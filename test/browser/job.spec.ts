import { randomUUID } from 'node:crypto';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';
import type { Page } from 'playwright-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Program } from '../docs/readme/program.js';
import { tabTo, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const servers = await sharedZooKeeper();
const browsing = useBrowser();
/** Processes have to start, and a session has to end. */
const LONG = { timeout: 30_000 };

const placeOf = (page: Page, item: number) => page.locator(`[aria-label^="Item ${item}:"]`).getAttribute('aria-label');

describe('the view of a job', () => {
  it('disables the job, and shows there and on the overview who did it and why', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(`${url}jobs/settle-orders`, { as: PEOPLE.operator });
    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog', { name: 'Disable settle-orders' });
    await dialog.getByLabel('Reason').fill('INC-1: the bank is away');
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByText('The job is disabled.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByText('The job, by otto').waitFor();
    await page.getByText('INC-1: the bank is away').waitFor();
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Overview/ })
      .click();
    await page.getByRole('region', { name: 'Needs attention' }).getByText('The job, by otto').waitFor();
    expect((await ask('GET', '/jobs/settle-orders')).json.disabled).toMatchObject({ by: 'otto' });
  });

  it('is reached from the list, and disables the job, by the keyboard alone', async () => {
    const { ask, url } = await servePage();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.operator });
    await page.getByText('3 of 3').waitFor();
    await tabTo(page, '[role=row]');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'billing-run' }).waitFor();

    await tabTo(page, '.job-head .actions .btn:not(.main)');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Disable billing-run' }).waitFor();
    await page.keyboard.type('INC-2');
    await page.keyboard.press('Enter');

    await page.getByText('The job is disabled.').waitFor();
    expect((await ask('GET', '/jobs/billing-run')).json).toMatchObject({ status: 'DISABLED' });
  });

  it('offers no change to a viewer', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(`${url}jobs/settle-orders?item=0`, { as: PEOPLE.viewer });
    await page.getByRole('heading', { name: 'Items × instances' }).waitFor();
    await page.getByRole('complementary', { name: 'Item 0' }).getByText('Owner').waitFor();

    const names = await page.locator('main button').allTextContents();

    expect(names.filter((name) => /Run now|Disable|Enable|Cancel|More/.test(name))).toEqual([]);
  });

  it('shows how items move after an instance is killed, on a real ZooKeeper', { timeout: 90_000 }, async () => {
    const namespace = `browser/${randomUUID()}`;
    const registry = { type: 'zookeeper', servers, namespace, allowOpenAcl: true } as const;
    const hooks = ['--import', './test/support/faults/register-typescript.mjs'];
    const args = [...hooks, 'test/browser/support/instance.fixture.ts', servers, namespace];
    const [first, second] = [1, 2].map(() => {
      const program = new Program(process.execPath, args, { cwd: process.cwd() });
      onTestFinished(() => program.kill());
      return program;
    });
    const { ask, url } = await servePage({ options: { registry, processing: false }, providers: [] });
    const joined = async () => (await ask('GET', '/jobs/stock-feed')).json;
    await expect.poll(joined, LONG).toMatchObject({ instances: 2 });
    const page = await browsing.visit(`${url}jobs/stock-feed`, { as: PEOPLE.viewer });
    const runOn = async () => {
      const places = await Promise.all([0, 1, 2, 3].map((item) => placeOf(page, item).catch(String)));
      return [first!, second!].map(
        ({ pid }) => places.filter((place) => place?.includes(` runs, on `) && place.includes(`@-@${pid}-`)).length,
      );
    };
    await expect.poll(runOn, LONG).toEqual([2, 2]);

    await first!.kill();

    await expect.poll(runOn, LONG).toEqual([0, 4]);
  });
});
