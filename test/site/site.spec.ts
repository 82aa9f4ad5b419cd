import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listPages, readBlocks } from '../docs/blocks/blocks.js';
import { openBrowser, openPage } from './browser.js';
import { QUESTIONS } from './questions.js';

const SITE_PAGES = listPages().filter((page) => page.startsWith('docs/'));
/** Pages with diagrams, and how many each has. */
const drawn = SITE_PAGES.map((page) => [page, readBlocks(page).filter(({ language }) => language === 'mermaid').length])
  .filter((entry): entry is [string, number] => entry[1] !== 0)
  .map(([page, count]) => [page.replace(/^docs(.*)\.md$/, '$1.html'), count] as const);
const asked = Object.entries(QUESTIONS).flatMap(([home, questions]) =>
  Object.entries(questions).map(([question, pages]) => [question, home, pages] as const),
);

describe('the site in a browser', () => {
  let browser: Browser;
  let failures: string[];
  beforeAll(async () => void (browser = await openBrowser()));
  beforeEach(() => void (failures = []));
  afterAll(() => browser?.close());

  it.each(drawn)('%s draws its diagrams', async (path, count) => {
    const page = await openPage(browser, path, failures);
    const diagrams = page.locator('.vp-doc .diagram svg');
    await diagrams.nth(count - 1).waitFor();
    expect(await diagrams.count()).toBe(count);
    await page.close();
    expect(failures).toEqual([]);
  });

  it('labels the parts of a Chinese page in Chinese', async () => {
    const page = await openPage(browser, '/zh/start/first-job.html', failures);
    await page.locator('.outline-title', { hasText: '本页目录' }).waitFor();
    await page.close();
    expect(failures).toEqual([]);
  });

  it.each(asked)('answers "%s" by the first page that its search shows', async (question, home, pages) => {
    const page = await openPage(browser, home, failures);
    await page.locator('#local-search button').first().click();
    await page.locator('#localsearch-input').fill(question);
    const first = page.locator('#localsearch-list a').first();
    const shown = async () => /^\/(.*)\.html/.exec((await first.getAttribute('href')) ?? '')?.[1];
    await expect.poll(shown, { timeout: 10_000 }).toSatisfy((answer: string) => pages.includes(answer));
    await page.close();
    expect(failures).toEqual([]);
  });
});
