import { readdirSync, readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listSitePages, openBrowser, openTab } from './browser.js';

/** Widths in pixels: a large screen, a small one, a tablet, and the narrowest phone. */
const WIDTHS = [1_440, 1_024, 768, 320];
const THEMES = ['light', 'dark'] as const;
/** Pages that are measured at a time, each in a tab of its own. */
const TABS = 2;
const MOST_MS = 300_000;

const pages = listSitePages();
const chinese = pages.filter((page) => page.startsWith('/zh/'));
const english = pages.filter((page) => !page.startsWith('/zh/'));
const pictures = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.svg'));

describe('the layout of the site', () => {
  let browser: Browser;
  let failures: string[];
  beforeAll(async () => void (browser = await openBrowser()));
  beforeEach(() => void (failures = []));
  afterAll(() => browser?.close());

  it.each([
    ['English', english],
    ['Chinese', chinese],
  ])(
    'keeps labels, tables and pages in their room, and texts legible, in both themes: %s pages',
    async (_, listed) => {
      expect(listed.length).toBeGreaterThan(20);
      const left = [...listed];
      const faults: string[] = [];
      const measure = async () => {
        const tab = await openMeasuring(browser, failures);
        for (let path = left.shift(); path !== undefined; path = left.shift()) {
          faults.push(...(await measurePage(tab, path)));
        }
        await tab.close();
      };
      await Promise.all(Array.from({ length: TABS }, measure));
      expect(faults).toEqual([]);
      expect(failures).toEqual([]);
    },
    MOST_MS,
  );

  it('keeps labels of pictures in their boxes, and gives each a title', async () => {
    expect(pictures.length).toBeGreaterThan(4);
    const tab = await openMeasuring(browser, failures);
    await tab.goto('/404.html');
    for (const picture of pictures) {
      const svg = readFileSync(`docs/${picture}`, 'utf8');
      await tab.setContent(`<div class="vp-doc" style="width: 342px"><figure>${svg}</figure></div>`);
      expect({ picture, faults: await faultsOf(tab) }).toEqual({ picture, faults: [] });
      expect({ picture, titles: await tab.locator('svg > title').count() }).toEqual({ picture, titles: 1 });
    }
    await tab.close();
    expect(failures).toEqual([]);
  });
});

/** Faults of a page in both themes at every width. */
async function measurePage(page: Page, path: string): Promise<readonly string[]> {
  const faults: string[] = [];
  await page.emulateMedia({ colorScheme: THEMES[0] });
  await page.goto(path);
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme });
    // Each diagram is drawn anew in the colours of a theme.
    await page.waitForFunction(`isDrawn('${colorScheme}')`);
    const faint: readonly string[] = await page.evaluate('findFaintTexts()');
    faults.push(...faint.map((fault) => `${path}, ${colorScheme}: ${fault}`));
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 1_000 });
      // The reference is looked up most. It is read without scrolling where there is room.
      const mayScroll = width < 1_440 || !path.startsWith('/reference/');
      const found = await faultsOf(page, mayScroll);
      faults.push(...found.map((fault) => `${path}, ${colorScheme}, ${width} px: ${fault}`));
    }
  }
  return faults;
}

async function openMeasuring(browser: Browser, failures: string[]): Promise<Page> {
  const page = await openTab(browser, failures);
  await page.addInitScript({ path: 'test/site/layout.fixture.mjs' });
  await page.addInitScript({ path: 'test/site/contrast.fixture.mjs' });
  return page;
}

/** @param mayScroll true: a table that can be scrolled may be wider than its column */
function faultsOf(page: Page, mayScroll = true): Promise<readonly string[]> {
  return page.evaluate(`findLayoutFaults({ mayScroll: ${mayScroll} })`);
}
