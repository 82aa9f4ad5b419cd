import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { ReportTemplate } from '../console/support/console-application.js';
import { SOON, tabTo, useBrowser } from './support/browsing.js';
import { JOBS, PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();
const serveTemplate = () => servePage({ providers: [...JOBS, ReportTemplate] });
const input = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const combobox = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true });

describe('a new job', () => {
  it('is made of a template, and shown once it is there', async () => {
    const { ask, url } = await serveTemplate();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.admin });

    await page.getByRole('link', { name: 'Create a job' }).click();
    await combobox(page, 'Name').fill('report-7');
    await combobox(page, 'Template').fill('report');
    await input(page, 'cron').fill('30 4 * * 1-5');
    await page.getByText('At 04:30, Monday through Friday').waitFor();
    await input(page, 'shardingTotalCount').fill('2');
    await page.getByRole('button', { name: 'Review and create' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create report-7' });
    await dialog.getByLabel('Reason').fill('OPS-7');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('The job is there.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();

    await page.getByRole('heading', { name: 'report-7' }).waitFor();
    expect(page.url()).toBe(`${url}jobs/report-7`);
    expect((await ask('GET', '/jobs/report-7')).json).toMatchObject({ template: 'report', items: 2 });
  });

  it('says at its fields what is missing, and what the API refuses, and keeps what was typed', async () => {
    const { ask, url } = await serveTemplate();
    const page = await browsing.visit(`${url}new-job`, { as: PEOPLE.admin });
    await page.getByRole('button', { name: 'Review and create' }).click();
    await expect.poll(() => page.getByText('Needed').count(), SOON).toBe(3);
    await page.locator('input:focus[aria-invalid="true"]').waitFor();

    await page.keyboard.type('settle-orders');
    await combobox(page, 'Template').fill('report');
    await input(page, 'shardingTotalCount').fill('2');
    await input(page, 'cron').fill('0 0 25 * * ?');
    await create(page);
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => input(page, 'cron').getAttribute('aria-invalid'), SOON).toBe('true');

    await input(page, 'cron').fill('');
    await create(page);
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('There is a job settle-orders already. Choose another name.').waitFor();
    expect(await combobox(page, 'Template').inputValue()).toBe('report');
    expect((await ask('GET', '/jobs/settle-orders')).json).toMatchObject({ template: null });
  });

  it('is made by the keyboard alone', async () => {
    const { url } = await serveTemplate();
    const page = await browsing.visit(`${url}new-job`, { as: PEOPLE.admin });
    await combobox(page, 'Name').waitFor();

    await tabTo(page, '.creation input');
    await page.keyboard.type('report-8');
    await page.keyboard.press('Tab');
    await page.keyboard.type('report');
    await tabTo(page, '[data-field=shardingTotalCount] input');
    await page.keyboard.type('1');
    await page.keyboard.press('Enter');
    await page.locator('dialog :focus').waitFor();
    await page.keyboard.type('OPS-8');
    await page.keyboard.press('Enter');
    await page.getByText('The job is there.').waitFor();
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'report-8' }).waitFor();
    expect(page.url()).toBe(`${url}jobs/report-8`);
  });

  it('is for admins: an operator is told so, in the language of the browser', async () => {
    const { url } = await serveTemplate();
    const page = await browsing.visit(`${url}jobs`, { as: PEOPLE.operator });
    await page.getByText('3 of 3').waitFor();
    expect(await page.getByRole('link', { name: 'Create a job' }).count()).toBe(0);
    await page.goto(`${url}new-job`);
    await page.getByText('It needs the role admin.').waitFor();

    const chinese = await browsing.visit(`${url}new-job`, { as: PEOPLE.admin, locale: 'zh-CN' });
    await chinese.getByRole('button', { name: '检查并创建' }).waitFor();
  });
});

async function create(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Review and create' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill('OPS-9');
  await dialog.getByRole('button', { name: 'Create' }).click();
}
