import { launchChromium } from '@test/support/chromium.js';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** Folder for pictures of what the pages of a failed test show. */
const { BROWSER_PICTURES: PICTURES } = process.env;

/** Longest wait for what a page shows by itself. */
export const SOON = { timeout: 10_000 };

interface Person {
  readonly name: string;
  readonly password: string;
}

export interface Visit {
  /** The one who is logged in. @default nobody: the page asks for a log-in */
  readonly as?: Person;
  readonly locale?: 'en-GB' | 'zh-CN';
  readonly theme?: 'light' | 'dark';
  /** In pixels. @default 1440 */
  readonly width?: number;
}

/** Tells what the policy of the page has kept it from. */
const TELL_VIOLATIONS = `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('CSP ' + violatedDirective + ' ' + blockedURI + ' ' + sample));`;

/**
 * One Chromium for the tests of a file. After each of them its tabs are closed, and the test fails if a page has done
 * what none may: an error, a violation of its policy, a request to somebody else, a question of the browser's own.
 */
export function useBrowser() {
  const contexts = new Set<BrowserContext>();
  const faults: string[] = [];
  let browser: Browser;
  beforeAll(async () => void (browser = await launchChromium()));
  afterEach(async ({ task }) => {
    if (PICTURES !== undefined && task.result?.state === 'fail') await keepPictures([...contexts], task.name);
    await Promise.all([...contexts].map((context) => context.close()));
    contexts.clear();
    expect(faults.splice(0)).toEqual([]);
  });
  afterAll(() => browser?.close());

  /** A browser of somebody else: cookies, choices and the stream are its own. @param url of the console */
  const visitor = async (url: string, visit: Visit = {}): Promise<BrowserContext> => {
    const context = await browser.newContext(optionsOf(visit));
    contexts.add(context);
    context.setDefaultTimeout(SOON.timeout);
    const { origin } = new URL(url);
    context.on('dialog', (dialog) => {
      faults.push(`opens a dialog of the browser: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('weberror', (error) => void faults.push(String(error.error())));
    context.on('request', (request) => {
      if (new URL(request.url()).origin !== origin) faults.push(`asks ${request.url()}`);
    });
    context.on('console', (message) => {
      // An answer that is no success is told by the browser itself, whatever the page makes of it.
      const isOwn = message.type() === 'error' && !message.text().startsWith('Failed to load resource');
      if (isOwn) faults.push(`${message.page()?.url()}: ${message.text()}`);
    });
    await context.addInitScript(TELL_VIOLATIONS);
    if (visit.as !== undefined) await logIn(context, url, visit.as);
    return context;
  };

  return {
    visitor,
    /** Opens a page in a browser of its own. */
    visit: async (url: string, options?: Visit): Promise<Page> => openTab(await visitor(consoleOf(url), options), url),
    /** Takes the faults so far, for a test that causes them. */
    takeFaults: () => faults.splice(0),
  };
}

async function keepPictures(contexts: readonly BrowserContext[], test: string): Promise<void> {
  const pages = contexts.flatMap((context) => context.pages());
  for (const [index, page] of pages.entries()) {
    const name = `${test.replaceAll(/\W+/g, '-').slice(0, 80)}-${index}.png`;
    await page.screenshot({ path: `${PICTURES}/${name}` }).catch(() => {});
  }
}

/** The URL of the console that has a view. */
function consoleOf(url: string): string {
  return /^.*?\/elastic-job\//.exec(url)![0];
}

/** Takes pointer and focus away: rows stay while one of them is on them. */
export async function stepBack(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate('document.activeElement.blur()');
}

/** Waits until every part of the view has been read once. */
export async function nothingIsLoading(page: Page): Promise<void> {
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
}

/** Waits until the view is there, and every part of it has been read once. */
export async function viewIsWhole(page: Page): Promise<void> {
  await page.locator('main h1, .look.page').first().waitFor();
  await nothingIsLoading(page);
}

/** Presses Tab until the focus is on such an element. @throws if it never is */
export async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)}) ?? false`)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}

export async function openTab(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** Logs in without the page, as the page does it. */
async function logIn(context: BrowserContext, url: string, { name, password }: Person): Promise<void> {
  const { origin } = new URL(url);
  const data = { name, password };
  const answer = await context.request.post(`${url}api/v1/session`, { headers: { origin }, data });
  if (!answer.ok()) throw new Error(`${name} was not let in: ${await answer.text()}`);
}

/** Ends the session of a browser, as its person does it in another one. */
export async function endSession(context: BrowserContext, url: string): Promise<void> {
  const [session] = await context.cookies(url);
  const headers = { origin: new URL(url).origin, cookie: `${session?.name}=${session?.value}` };
  const answer = await fetch(`${url}api/v1/session`, { method: 'DELETE', headers });
  if (!answer.ok) throw new Error(`The session was not ended: ${await answer.text()}`);
}

function optionsOf({ locale = 'en-GB', theme = 'light', width = 1_440 }: Visit): BrowserContextOptions {
  const isPhone = width < 600;
  return {
    locale,
    timezoneId: 'Europe/Berlin',
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport: { width, height: isPhone ? 844 : 1_000 },
    hasTouch: isPhone,
  };
}
