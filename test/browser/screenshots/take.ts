import { writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { VirtualClock } from '@app/elastic-job/testing';
import { launchChromium } from '@test/support/chromium.js';
import { NestFactory } from '@nestjs/core';
import type { BrowserContext, Page } from 'playwright-core';
import { ConsoleModule } from '../../../src/console/console.module.js';
import { CONSOLE_PATH } from '../../../src/console/root.controller.js';
import { Demo } from '../../../src/demo/demo.js';

/** A Tuesday, at a quarter past nine in Berlin. */
const START = Date.UTC(2026, 10, 24, 8, 15);
/** An item of settle-orders has failed by then, and the others run. No cron fires at this instant. */
const END = START + 85_800;
const STEP_MS = 50;
/** Nothing but a wait for the clock takes so long: a request of the demo does not. */
const STILL_MS = 250;
const SHORT_STEP_MS = 5;
export const SIZE = { width: 1_280, height: 800 };
/** In percent. Letters look as they do in the page, at a third of the bytes of a PNG. */
const QUALITY = 80;
/** All views are read at one instant, so that no limit of a second is ever over. */
const LIMITS = { readsPerSecond: 10_000 };
const THEMES = ['light', 'dark'] as const;

/** Opens the views, by the names of their pictures, until they are whole. */
const VIEWS: Readonly<Record<string, (page: Page, url: string) => Promise<void>>> = {
  overview: async (page, url) => {
    await page.goto(url);
    await page.getByRole('region', { name: 'Who changed what' }).getByText('OPS-902').first().waitFor();
  },
  job: async (page, url) => {
    await page.goto(`${url}jobs/settle-orders?item=3`);
    await page.getByRole('complementary', { name: 'Item 3' }).getByText('BankTimeoutError').first().waitFor();
  },
  jobs: async (page, url) => {
    await page.goto(`${url}jobs`);
    await page.getByRole('row', { name: /settle-orders/ }).waitFor();
  },
  configuration: async (page, url) => {
    await page.goto(`${url}jobs/newsletter/config`);
    await page.getByRole('textbox', { name: 'cron', exact: true }).fill('0 30 6 ? * MON-FRI');
    await page.getByRole('heading', { name: 'With your changes' }).waitFor();
    await page.getByRole('button', { name: 'Review and send' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('OPS-921: on each workday, half an hour later');
  },
  audit: async (page, url) => {
    await page.goto(`${url}audit`);
    await page.getByText('OPS-902: acme is a customer now').first().waitFor();
  },
};

export const PICTURES = Object.keys(VIEWS).flatMap((view) => THEMES.map((theme) => pictureOf(view, theme)));

/** Takes the pictures of the demo, at the same instant of its story each time. */
export async function takeScreenshots(folder: string): Promise<void> {
  const clock = new VirtualClock({ wall: START });
  const told: string[] = [];
  const demo = await standingStill(
    clock,
    Demo.start(clock, (line) => told.push(line)),
  );
  const app = await standingStill(
    clock,
    NestFactory.create(ConsoleModule.of(demo.registry, { ...demo.console, limits: LIMITS }), { logger: false }),
  );
  const browser = await launchChromium();
  try {
    await standingStill(clock, app.listen(0, '127.0.0.1'));
    const address: AddressInfo = app.getHttpServer().address();
    const origin = `http://127.0.0.1:${address.port}`;
    await standingStill(clock, demo.open(origin));
    await withoutStacks(() => passUntil(clock, END));
    const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', timezoneId: 'Europe/Berlin' });
    await logIn(context, origin, /Password: +(\S+)/.exec(told.join('\n'))?.[1] ?? '');
    const page = await context.newPage();
    await page.clock.setFixedTime(clock.wallNow());
    for (const [view, open] of Object.entries(VIEWS)) {
      await open(page, origin + CONSOLE_PATH);
      await page.locator('.skeleton').first().waitFor({ state: 'detached' });
      // The first frame of its stream waits for the clock.
      await standingStill(clock, page.getByRole('status').getByText('Live', { exact: true }).waitFor());
      await inBothThemes(page, folder, view);
    }
  } finally {
    await browser.close();
    await clock.advanceUntil(demo.stop());
    await clock.advanceUntil(app.close());
  }
}

async function inBothThemes(page: Page, folder: string, view: string): Promise<void> {
  // Playwright itself makes no WebP.
  const devTools = await page.context().newCDPSession(page);
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    const { data } = await devTools.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
    await writeFile(`${folder}/${pictureOf(view, theme)}`, data, 'base64');
  }
  await devTools.detach();
}

function pictureOf(view: string, theme: (typeof THEMES)[number]): string {
  return `${view}-${theme}.webp`;
}

async function logIn(context: BrowserContext, origin: string, password: string): Promise<void> {
  const url = `${origin}${CONSOLE_PATH}api/v1/session`;
  const answer = await context.request.post(url, { headers: { origin }, data: { name: 'admin', password } });
  if (!answer.ok()) throw new Error(`The demo has let nobody in: ${await answer.text()}`);
}

/**
 * Waits for what takes real time, such as a request, and moves the clock on by a little only if that waits for it. So
 * the story does not depend on how fast the machine is.
 */
async function standingStill<Value>(clock: VirtualClock, doing: Promise<Value>): Promise<Value> {
  const isDone = doing.then(() => true);
  while (!(await Promise.race([isDone, sleep(STILL_MS, false)]))) await clock.advance(SHORT_STEP_MS);
  return doing;
}

/** A stack would show paths of this machine. */
async function withoutStacks(doing: () => Promise<void>): Promise<void> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    await doing();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Lets time pass as fast as it can. */
async function passUntil(clock: VirtualClock, end: number): Promise<void> {
  while (clock.wallNow() < end) {
    await clock.advance(Math.min(STEP_MS, end - clock.wallNow()));
    // The database is not on the clock.
    await nextTurn();
  }
}
