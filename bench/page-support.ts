import { launchChromium } from '@test/support/chromium.js';
import { forkClient } from '@test/support/faults/index.js';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { ensurePage } from '../src/console/built-page.js';
import { Machine } from './page/machine.js';

/** As many nodes as the console reads in a second, some minutes long. */
const FULL_MS = 300_000;

/** A console with its page, in a process of its own. */
interface ServedConsole {
  /** Ends with `/`. */
  readonly url: string;
  /** Of somebody who is logged in, `name=value`. */
  readonly cookie: string;
  /** Changes items of the job with a map, for so many seconds. */
  readonly change: (seconds: number) => void;
}

/** A part of the bench measures with these. */
export interface Bench {
  readonly browser: Browser;
  readonly served: ServedConsole;
  /** How often each figure is taken. The one in the middle counts. */
  readonly rounds: number;
  readonly machine: Machine;
}

/** A tab of a browser that has nothing of the page yet, and a way to its tools. */
export interface Tab {
  readonly page: Page;
  readonly tools: CDPSession;
}

/** Serves a console over so many jobs, and the job with a map, and starts a Chromium, until the work is done. */
export async function withBench<T>(jobs: number, rounds: number, work: (bench: Bench) => Promise<T>): Promise<T> {
  await ensurePage();
  const forked = forkClient(new URL('./page/console.fixture.ts', import.meta.url), [String(jobs)]);
  try {
    const { cookie, url } = await forked.receive(isServed, FULL_MS);
    const browser = await launchChromium();
    try {
      const served = { url, cookie, change: (seconds: number) => forked.send({ change: seconds }) };
      return await work({ browser, served, rounds, machine: new Machine() });
    } finally {
      await browser.close();
    }
  } finally {
    await forked.stop();
  }
}

/**
 * Opens an empty tab of somebody who is logged in. Nothing is in its cache. The tab is closed after the work.
 * @param script runs before the page in each document of the tab
 */
export async function withTab<T>(
  { browser, served }: Pick<Bench, 'browser' | 'served'>,
  script: string,
  work: (tab: Tab) => Promise<T>,
): Promise<T> {
  const context = await newContext(browser);
  try {
    const [name = '', value = ''] = served.cookie.split('=');
    await context.addCookies([{ name, value, url: served.url, httpOnly: true, sameSite: 'Strict' }]);
    await context.addInitScript(script);
    const page = await context.newPage();
    return await work({ page, tools: await context.newCDPSession(page) });
  } finally {
    await context.close();
  }
}

function newContext(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    viewport: { width: 1_440, height: 1_000 },
  });
}

function isServed(message: unknown): message is Pick<ServedConsole, 'cookie' | 'url'> {
  return typeof message === 'object' && message !== null && 'cookie' in message;
}
