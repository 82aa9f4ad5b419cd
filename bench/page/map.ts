import type { Page } from 'playwright-core';
import type { Finding } from '../console/finding.js';
import type { Bench } from '../page-support.js';
import { measureFrames, wheel } from './frames.js';
import { MAP, MAP_ITEMS } from './planted-map.js';

const WHEEL_MS = 4_000;
const JUMPS = 20;
const CHANGES_SECONDS = 10;
const SHEET = `document.querySelector('.map')`;

/** Goes over the map of 1,000 items by 50 instances, while its items change. */
export function measureMap(bench: Bench): Promise<readonly Finding[]> {
  const inMap = (doing: (page: Page) => Promise<void>) => ({
    open: async (page: Page) => {
      await page.goto(`${bench.served.url}jobs/${MAP}`);
      await page
        .getByText(`${MAP_ITEMS.toLocaleString('en')} items`)
        .first()
        .waitFor();
      await page.locator('.map').hover();
      bench.served.change(CHANGES_SECONDS);
    },
    doing,
  });
  return measureFrames(bench, {
    'map, by the wheel': inMap(async (page) => {
      await wheel(page, await page.evaluate(`${SHEET}.scrollWidth`), WHEEL_MS, true);
      await wheel(page, await page.evaluate(`${SHEET}.scrollHeight`), WHEEL_MS / 4);
    }),
    'map, jumps by its bars': inMap(async (page) => {
      for (let jump = 0; jump < JUMPS; jump += 1) {
        const [x, y] = [((jump * 7) % JUMPS) / JUMPS, ((jump * 3) % JUMPS) / JUMPS];
        await page.evaluate(`${SHEET}.scrollTo(${SHEET}.scrollWidth * ${x}, ${SHEET}.scrollHeight * ${y})`);
        await page.waitForTimeout(150);
      }
    }),
    'map, keys and items chosen': inMap(async (page) => {
      await page.locator('.map .place a').first().focus();
      for (const key of ['ArrowRight', 'PageDown', 'ArrowDown', 'Enter', 'End', 'Enter', 'Home', 'Enter']) {
        for (let press = 0; press < 5; press += 1) {
          await page.keyboard.press(key);
          await page.waitForTimeout(30);
        }
      }
    }),
  });
}
