import { existsSync, readFileSync } from 'node:fs';
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

  it.each([
    ['/zh/', 'nestjs-elastic-job', '面向 NestJS'],
    ['/concepts/failover.html', 'Failover', 'Elastic-Job for NestJS'],
  ])('gives %s an icon, and a card for those who share its link', async (path, title, text) => {
    const page = await openPage(browser, path, failures);
    const [icon = ''] = await page
      .locator('link[rel=icon]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
    const [shownTitle, shownText, image] = await Promise.all(
      ['title', 'description', 'image'].map((name) =>
        page.locator(`meta[property="og:${name}"]`).getAttribute('content'),
      ),
    );
    await page.close();
    expect(existsSync(`docs-site${icon}`)).toBe(true);
    expect(shownTitle).toBe(title);
    expect(shownText).toContain(text);
    const png = readFileSync(`docs-site${new URL(image ?? '', 'http://site').pathname}`);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([1_200, 630]);
    expect(png.length).toBeLessThan(100_000);
    expect(failures).toEqual([]);
  });

  it('shows the picture of the home page in the theme that a reader switches to', async () => {
    const page = await openPage(browser, '/', failures);
    const picture = page.locator('.hero img');
    // Whole pixels on a ground of its own, so that nothing but the picture makes the difference.
    await page.addStyleTag({
      content: '.hero img { position: fixed; z-index: 99; inset: 0 auto auto 0; width: 400px; background: #888 }',
    });
    const light = await picture.screenshot();
    await page.locator('.VPSwitchAppearance:visible').first().click();
    await expect.poll(async () => light.equals(await picture.screenshot())).toBe(false);
    await page.close();
    expect(failures).toEqual([]);
  });

  it.each(['/operate/console.html', '/zh/operate/console.html', '/overview.html', '/zh/overview.html'])(
    'shows the console on %s in the theme that a reader switches to',
    async (path) => {
      const page = await openPage(browser, path, failures);
      const picture = page.locator('.vp-doc :is(.in-light, .in-dark):visible').first();
      const shown = () => picture.getAttribute('src');
      expect(await shown()).toContain('overview-light');
      await page.locator('.VPSwitchAppearance:visible').first().click();
      await expect.poll(shown).toContain('overview-dark');
      await page.waitForFunction("document.querySelector('.vp-doc .in-dark').naturalWidth === 1280");
      await page.close();
      expect(failures).toEqual([]);
    },
  );

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
