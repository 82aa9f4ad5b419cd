import { existsSync, readdirSync } from 'node:fs';
import { launchChromium } from '@test/support/chromium.js';
import type { Browser, Page } from 'playwright-core';

const SITE = 'docs-site';
/** Never asked: the browser gets every file of it from the folder. */
const ORIGIN = 'http://localhost';

/** @throws if there is no Chromium, or no site */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(`${SITE}/index.html`)) throw new Error(`${SITE} does not exist. Build it: npm run docs.`);
  return launchChromium();
}

/** Paths of all pages of the site but TypeDoc's, which have a theme of their own. */
export function listSitePages(): readonly string[] {
  return readdirSync(SITE, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.html') && !file.startsWith('reference/api/'))
    .map((file) => `/${file}`);
}

/** Opens a page of the site, and adds what fails on it to a list. */
export async function openPage(browser: Browser, path: string, failures: string[]): Promise<Page> {
  const page = await openTab(browser, failures);
  await page.goto(path);
  return page;
}

/** Opens a tab in which pages of the site can be opened, and adds what fails on them to a list. */
export async function openTab(browser: Browser, failures: string[]): Promise<Page> {
  const page = await browser.newPage({ baseURL: ORIGIN, viewport: { width: 1_400, height: 1_000 } });
  const fail = (fault: string) => failures.push(`${new URL(page.url()).pathname}: ${fault}`);
  page.on('pageerror', (error) => fail(error.message));
  await page.route('**', async (route) => {
    const { origin, pathname } = new URL(route.request().url());
    if (origin !== ORIGIN) fail(`asks ${origin}`);
    // A page fetches those that it links to beforehand, which takes longer than the page itself.
    if (route.request().headers()['sec-purpose'] === 'prefetch') return route.abort();
    const file = `${SITE}${decodeURIComponent(pathname)}`.replace(/\/$/, '/index.html');
    if (existsSync(file)) return route.fulfill({ path: file });
    fail(`asks for ${pathname}, which does not exist`);
    return route.fulfill({ status: 404 });
  });
  return page;
}
