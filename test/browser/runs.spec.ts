import type { BrowserContext } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openTab, useBrowser } from './support/browsing.js';
import { PEOPLE, servePage } from './support/served-page.js';

const browsing = useBrowser();

const ENDED = { completedAt: '2026-11-30T02:00:04.000Z', succeeded: true, error: null };
const FAILED = { ...ENDED, succeeded: false, error: 'BankError: no answer\n\tat pay (bank.ts:7)\u202e' };

const runOf = (item: number, end: object) => ({
  id: `run of ${item}`,
  job: 'settle-orders',
  item,
  task: 'settle-orders@-@0,1@-@READY@-@10.0.3.12@-@7-9f2b',
  hostname: 'host',
  ip: '10.0.3.12',
  source: 'NORMAL_TRIGGER',
  startedAt: '2026-11-30T02:00:00.000Z',
  ...end,
});
const RUNS = [runOf(0, FAILED), runOf(1, ENDED)];

/** A history in the place of that which the served console does not have. */
async function answerRuns(context: BrowserContext) {
  const history = { isAway: false };
  await context.route('**/jobs/*/executions*', (route) => {
    const item = new URL(route.request().url()).searchParams.get('item');
    const items = RUNS.filter((run) => item === null || run.item === Number(item));
    if (!history.isAway) return route.fulfill({ json: { items, cursor: null } });
    const problem = {
      status: 503,
      code: 'HISTORY_AWAY',
      detail: 'The history of runs does not answer.',
      requestId: 'r',
    };
    return route.fulfill({ status: 503, json: problem, contentType: 'application/problem+json' });
  });
  return history;
}

describe('the runs of an item', () => {
  it('are reached from its inspector, and chosen by its number, which the URL keeps', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.viewer });
    await answerRuns(context);
    const page = await openTab(context, `${url}jobs/settle-orders?item=1`);
    const inspector = page.getByRole('complementary', { name: 'Item 1' });
    await inspector.getByText('Succeeded').waitFor();
    await inspector.getByRole('link', { name: 'All runs of the item' }).click();
    const rows = page.getByRole('grid', { name: 'Runs' }).locator('[role=row]:not(.head)');
    await rows.getByText('Succeeded').waitFor();
    expect(await rows.count()).toBe(1);
    expect(page.url()).toContain('/runs?item=1');

    const field = page.getByLabel('Item', { exact: true });
    await field.fill('0');
    await field.press('Enter');
    const error = rows.getByText('BankError: no answer …');
    await error.waitFor();
    expect(await error.getAttribute('title')).toBe('BankError: no answer\n\tat pay (bank.ts:7)U+202E');
    expect(page.url()).toContain('/runs?item=0');

    await field.fill('none');
    await field.press('Enter');
    await rows.getByText('Succeeded').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await rows.count()).toBe(2);
  });

  it('stay while the history is away, which the page says in its language', async () => {
    const { url } = await servePage();
    const context = await browsing.visitor(url, { as: PEOPLE.viewer, locale: 'zh-CN' });
    const history = await answerRuns(context);
    const page = await openTab(context, `${url}jobs/settle-orders/runs`);
    const rows = page.getByRole('grid', { name: '运行' }).locator('[role=row]:not(.head)');
    await rows.getByText('失败').waitFor();

    history.isAway = true;
    await page.getByText('运行历史没有应答。').waitFor();

    expect(await rows.count()).toBe(2);
  });
});
