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
/** By then one instance has crashed, and its items run elsewhere. */
const END = START + 75_000;
/** How fast time passes while the demo waits for a request or its database, which know no virtual clock. */
const REAL_MS = 5;
const STEP_MS = 50;
const SIZE = { width: 1_280, height: 860 };

/** Views by the names of their pictures, and a text that is there once they are whole. */
const VIEWS = {
  overview: ['', 'Who changed what'],
  jobs: ['jobs', 'settle-orders'],
} as const;

/** Takes pictures of the demo in both themes, at the same instant of its story each time. @returns their names */
export async function takeScreenshots(folder: string): Promise<readonly string[]> {
  const clock = new VirtualClock({ wall: START });
  const told: string[] = [];
  const demo = await passing(
    clock,
    Demo.start(clock, (line) => told.push(line)),
  );
  const app = await passing(
    clock,
    NestFactory.create(ConsoleModule.of(demo.registry, demo.console), { logger: false }),
  );
  const browser = await launchChromium();
  try {
    await passing(clock, app.listen(0, '127.0.0.1'));
    const address: AddressInfo = app.getHttpServer().address();
    const origin = `http://127.0.0.1:${address.port}`;
    await passing(clock, demo.open(origin));
    await passUntil(clock, END);
    const context = await browser.newContext({ viewport: SIZE, locale: 'en-GB', timezoneId: 'Europe/Berlin' });
    await logIn(context, origin, /Password: +(\S+)/.exec(told.join('\n'))?.[1] ?? '');
    const page = await context.newPage();
    await page.clock.setFixedTime(clock.wallNow());
    const names: string[] = [];
    for (const [name, [path, text]] of Object.entries(VIEWS)) {
      await page.goto(`${origin}${CONSOLE_PATH}${path}`);
      await page.getByText(text).first().waitFor();
      names.push(...(await inBothThemes(page, folder, name)));
    }
    return names;
  } finally {
    await browser.close();
    await passing(clock, demo.stop());
    await passing(clock, app.close());
  }
}

async function inBothThemes(page: Page, folder: string, view: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    names.push(`${view}-${colorScheme}.png`);
    await page.screenshot({ path: `${folder}/${names.at(-1)}` });
  }
  return names;
}

async function logIn(context: BrowserContext, origin: string, password: string): Promise<void> {
  const url = `${origin}${CONSOLE_PATH}api/v1/session`;
  const answer = await context.request.post(url, { headers: { origin }, data: { name: 'admin', password } });
  if (!answer.ok()) throw new Error(`The demo has let nobody in: ${await answer.text()}`);
}

/** Lets time pass as it really does, until it is done. */
async function passing<Value>(clock: VirtualClock, doing: Promise<Value>): Promise<Value> {
  const state = { isOver: false };
  const over = () => void (state.isOver = true);
  doing.then(over, over);
  while (!state.isOver) {
    await clock.advance(REAL_MS);
    await sleep(REAL_MS);
  }
  return doing;
}

/** Lets time pass as fast as it can. */
async function passUntil(clock: VirtualClock, end: number): Promise<void> {
  while (clock.wallNow() < end) {
    await clock.advance(Math.min(STEP_MS, end - clock.wallNow()));
    // The database is not on the clock.
    await nextTurn();
  }
}
