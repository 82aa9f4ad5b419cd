import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const SITE = 'docs-site';
/** Never asked: the browser gets every file of it from the folder. */
const ORIGIN = 'http://localhost';
const { CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;

/** @throws if there is no Chromium, or no site */
export async function openBrowser(): Promise<Browser> {
  if (!existsSync(CHROMIUM_PATH)) {
    throw new Error(`${CHROMIUM_PATH} does not exist. Install Debian's chromium, or set CHROMIUM_PATH.`);
  }
  if (!existsSync(`${SITE}/index.html`)) throw new Error(`${SITE} does not exist. Build it: npm run docs.`);
  // Its sandbox refuses to start for root, as which containers run tests.
  return chromium.launch({ executablePath: CHROMIUM_PATH, args: ['--no-sandbox'] });
}

/** Opens a page of the site, and adds what fails on it to a list. */
export async function openPage(browser: Browser, path: string, failures: string[]): Promise<Page> {
  const page = await browser.newPage({ baseURL: ORIGIN, viewport: { width: 1_400, height: 1_000 } });
  page.on('pageerror', (error) => failures.push(`${path}: ${error.message}`));
  await page.route('**', async (route) => {
    const { pathname } = new URL(route.request().url());
    const file = `${SITE}${decodeURIComponent(pathname)}`.replace(/\/$/, '/index.html');
    if (existsSync(file)) return route.fulfill({ path: file });
    failures.push(`${path}: asks for ${pathname}, which does not exist`);
    return route.fulfill({ status: 404 });
  });
  await page.goto(path);
  return page;
}
