import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { endSession, SOON, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

const setting = (page: Page, name: string) => page.getByLabel(name, { exact: true });
const review = (page: Page) => page.getByRole('button', { name: 'Review and send' }).click();
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Change the settings of settle-orders' });
const send = (page: Page) => dialogOf(page).getByRole('button', { name: 'Change the settings' }).click();

/** A console, and somebody who is at the settings of a job. */
async function atSettings(as: { readonly name: string; readonly password: string }) {
  const served = await servePage();
  const url = `${served.url}jobs/settle-orders/config`;
  return { ...served, url, page: await browsing.visit(url, { as }) };
}

describe('the settings of a job', () => {
  it('that two people edit: the second sees both versions, chooses, and loses nothing', async () => {
    const { ask, page: otto, url } = await atSettings(PEOPLE.operator);
    await setting(otto, 'cron').fill('0 15 4 * * ?');
    await setting(otto, 'description').fill('[finance] settles what is due');
    await setting(otto, 'jobParameter').fill('all');
    await review(otto);
    await dialogOf(otto).getByLabel('Reason').fill('OPS-1: the bank opens later');

    const ada = await browsing.visit(url, { as: PEOPLE.admin });
    await setting(ada, 'cron').fill('0 45 3 * * ?');
    await setting(ada, 'description').fill('[bank] settles');
    await setting(ada, 'timeZone').fill('Europe/Paris');
    await review(ada);
    await send(ada);
    await dialogOf(ada).getByText('Version 1 of the settings is in force.').waitFor();
    await send(otto);

    const both = otto.getByRole('region', { name: 'Somebody has changed these settings meanwhile' });
    await both.getByText('You began at version 0, and version 1 is in force.').waitFor();
    await dialogOf(otto).waitFor({ state: 'detached' });
    const [cron, description, zone] = ['cron', 'description', 'timeZone'].map((name) =>
      both.getByRole('group', { name, exact: true }),
    );
    expect(await cron!.textContent()).toMatch(/0 0 2 .*0 45 3 .*0 15 4 /);
    expect(await zone!.textContent()).toContain('stays theirs');
    expect(await setting(otto, 'jobParameter').inputValue()).toBe('all');
    await both.getByText('Choose for 2 fields first.').waitFor();
    await cron!.getByLabel('Take theirs').check();
    await description!.getByLabel('Keep mine').check();
    await both.getByRole('button', { name: 'Go on from version 1' }).click();

    await both.waitFor({ state: 'detached' });
    expect(await setting(otto, 'cron').inputValue()).toBe('0 45 3 * * ?');
    await review(otto);
    expect(await dialogOf(otto).getByLabel('Reason').inputValue()).toBe('OPS-1: the bank opens later');
    await send(otto);
    await dialogOf(otto).getByText('Version 2 of the settings is in force.').waitFor();
    expect((await ask('GET', '/jobs/settle-orders/config')).json).toMatchObject({
      version: 2,
      settings: {
        cron: '0 45 3 * * ?',
        description: '[finance] settles what is due',
        jobParameter: 'all',
        timeZone: 'Europe/Paris',
      },
    });
  });

  it('say where a cron is wrong, what it says, when it fires next, and what Java would not follow', async () => {
    const { ask, page } = await atSettings(PEOPLE.operator);
    const cron = page.locator('[data-field=cron]');
    await cron.getByText('At 02:00').waitFor();

    await setting(page, 'cron').fill('0 0 25 * * ?');
    await cron.getByText('hour: "25" is not 0 to 23.').waitFor();
    expect(await setting(page, 'cron').getAttribute('aria-invalid')).toBe('true');
    await review(page);
    await page.getByText('It cannot be sent like this').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);

    await setting(page, 'timeZone').fill('Europe/Paris');
    await setting(page, 'cron').fill('30 4 * * 1-5');
    await cron.getByText('As Quartz writes it: 0 30 4 ? * MON-FRI').waitFor();
    await cron.getByText(/At 04:30.*Monday through Friday/).waitFor();
    const after = page.locator('.times', { has: page.getByRole('heading', { name: 'With your changes' }) });
    await expect.poll(() => after.getByRole('listitem').count(), SOON).toBe(5);
    const times = await after.getByRole('listitem').allTextContents();
    expect(times).toEqual(
      Array.from({ length: 5 }, () => expect.stringMatching(/^(?:Mon|Tue|Wed|Thu|Fri) [-\d]{10} 04:30:00 \+0[12]:00/)),
    );
    expect(times.filter((time) => [0, 6].includes(new Date(time.slice(0, 10)).getUTCDay()))).toEqual([]);
    await after.getByText('Europe/Paris').waitFor();
    await setting(page, 'misfirePolicy').selectOption('all');
    await page.getByText('Java does not catch up on all fire times, and leaves no record of them.').waitFor();

    await review(page);
    await dialogOf(page).getByText('Java does not catch up').waitFor();
    expect(await dialogOf(page).locator('del').allTextContents()).toEqual(['0 0 2 * * ?', 'none', 'once']);
    expect(await dialogOf(page).locator('ins').allTextContents()).toEqual([
      '0 30 4 ? * MON-FRI',
      'Europe/Paris',
      'all',
    ]);
    await send(page);
    await dialogOf(page).getByText('Version 1 of the settings is in force.').waitFor();
    expect((await ask('GET', '/jobs/settle-orders/config')).json.settings).toMatchObject({
      cron: '0 30 4 ? * MON-FRI',
      misfirePolicy: 'all',
    });
  });

  it('keep an edit while its person looks elsewhere, and while the session is over', async () => {
    const { page, url } = await atSettings(PEOPLE.operator);
    await setting(page, 'description').fill('[finance] settles what is due');

    await page
      .getByRole('navigation', { name: 'Views of the job' })
      .getByRole('link', { name: 'Runs', exact: true })
      .click();
    const asked = page.getByRole('dialog', { name: 'Your edit was not sent' });
    await asked.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('link', { name: 'Configuration' }).click();
    expect(await setting(page, 'description').inputValue()).toBe('[finance] settles what is due');

    await endSession(page.context(), url.replace('jobs/settle-orders/config', ''));
    const again = page.getByRole('dialog', { name: 'Log in again' });
    await again.getByLabel('Password').fill(PEOPLE.operator.password);
    await again.getByRole('button', { name: 'Log in' }).click();
    await again.waitFor({ state: 'detached' });
    expect(await setting(page, 'description').inputValue()).toBe('[finance] settles what is due');
    await review(page);
    await send(page);
    await dialogOf(page).getByText('Version 1 of the settings is in force.').waitFor();
  });

  it('are shown to a viewer without a field, and with the role that may change them', async () => {
    const { page } = await atSettings(PEOPLE.viewer);

    await page.getByText('Your role sees the settings. An operator may change them.').waitFor();

    await page.getByRole('group', { name: 'cron', exact: true }).getByText('0 0 2 * * ?').waitFor();
    expect(await page.locator('main').locator('input, select, textarea, button').count()).toBe(0);
  });
});
