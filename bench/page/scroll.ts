import type { Page } from 'playwright-core';
import type { Finding } from '../console/finding.js';
import type { Bench } from '../page-support.js';
import { measureFrames, wheel } from './frames.js';

const WHEEL_MS = 10_000;
const KEYS_MS = 5_000;
const JUMPS = 20;
const LIST = `document.querySelector('.jobs-grid')`;

/** Goes over the list of all jobs: by the wheel from its begin to its end, by a key that is held, and by jumps. */
export function measureScroll(bench: Bench): Promise<readonly Finding[]> {
  const inList = (doing: (page: Page) => Promise<void>) => ({
    open: async (page: Page) => {
      await page.goto(`${bench.served.url}jobs`);
      await page.locator('.jobs-grid [data-index="0"] a').waitFor();
    },
    doing,
  });
  return measureFrames(bench, {
    'list of jobs, by the wheel': inList(async (page) => {
      await page.locator('.jobs-grid').hover();
      await wheel(page, await page.evaluate(`${LIST}.scrollHeight`), WHEEL_MS);
    }),
    'list of jobs, Page Down held': inList(async (page) => {
      await page.locator('[data-index="0"]').focus();
      for (const begun = performance.now(); performance.now() < begun + KEYS_MS;) await page.keyboard.press('PageDown');
    }),
    'list of jobs, jumps by its bar': inList(async (page) => {
      for (let jump = 0; jump < JUMPS; jump += 1) {
        await page.evaluate(`${LIST}.scrollTop = ${LIST}.scrollHeight * ${((jump * 7) % JUMPS) / JUMPS}`);
        await page.waitForTimeout(150);
      }
    }),
  });
}
