import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { endSession, SOON, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

/** Fills the form in, and sends it. */
async function logIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

describe('a log-in', () => {
  it('leads to the view whose address was opened, and out again', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(`${url}jobs?q=settle`);

    await logIn(page, 'otto', PEOPLE.operator.password);

    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
    expect(page.url()).toBe(`${url}jobs?q=settle`);
    await page.reload();
    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
  });

  it('is refused for a wrong password, in words, and the next one may be right', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(url);

    await logIn(page, 'otto', 'not the password');

    await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('');
    expect(await page.getByLabel('Name').inputValue()).toBe('otto');
    await logIn(page, 'otto', PEOPLE.operator.password);
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
  });

  it('waits after too many wrong passwords, and says for how long', async () => {
    const { url } = await servePage({ console: { limits: { logInsPerName: 1 } } });
    const page = await browsing.visit(url);

    await logIn(page, 'otto', 'not the password');
    await page.getByRole('alert').getByText('The name or the password is wrong.').waitFor();
    await logIn(page, 'otto', PEOPLE.operator.password);

    await page
      .getByRole('alert')
      .getByText(/Too many attempts\. Try again at \d\d:\d\d/)
      .waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe(PEOPLE.operator.password);
  });
});

describe('a session that was ended elsewhere', () => {
  it('asks for a log-in above what was typed, which is sent afterwards', async () => {
    const { ask, url } = await servePage();
    await ask('POST', '/jobs/settle-orders/disable', { body: { reason: 'INC-1' } });
    const page = await browsing.visit(url, { as: PEOPLE.operator });
    await page.getByRole('button', { name: 'Enable' }).click();
    const change = page.getByRole('dialog', { name: 'Enable settle-orders' });
    await change.getByLabel('Reason').fill('INC-1 is over');

    await endSession(page.context(), url);
    await change.getByRole('button', { name: 'Enable' }).click();

    const again = page.getByRole('dialog', { name: 'Log in again' });
    await again.waitFor();
    expect(await again.getByLabel('Name').inputValue()).toBe('otto');
    await again.getByLabel('Password').fill(PEOPLE.operator.password);
    await again.getByRole('button', { name: 'Log in' }).click();
    await again.waitFor({ state: 'detached' });
    expect(await change.getByLabel('Reason').inputValue()).toBe('INC-1 is over');
    await change.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('The job is enabled.').waitFor();
    expect((await ask('GET', '/jobs/settle-orders')).json).toMatchObject({ status: 'OK', disabled: null });
  });

  it('of another person than before begins anew', async () => {
    const { url } = await servePage();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.admin });
    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
    await endSession(page.context(), url);
    await page.getByRole('searchbox', { name: 'Search name, label, description, cron' }).fill('settle');

    const again = page.getByRole('dialog', { name: 'Log in again' });
    await again.getByLabel('Name').fill('vera');
    await again.getByLabel('Password').fill(PEOPLE.viewer.password);
    await again.getByRole('button', { name: 'Log in' }).click();

    await again.waitFor({ state: 'detached' });
    await expect.poll(() => page.locator('.me').textContent(), SOON).toContain('vera');
  });
});
