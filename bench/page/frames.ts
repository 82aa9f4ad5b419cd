import type { Page } from 'playwright-core';
import type { Finding } from '../console/finding.js';
import { type Bench, withTab } from '../page-support.js';
import { median, percentile } from '../scale/statistics.js';

/** A longer one is seen. */
const MOST_MS = 50;
const EMPTY_WHEEL_MS = 5_000;

/** Frames of a page while something was done, in milliseconds. */
interface Frames {
  readonly p95: number;
  readonly longest: number;
  /** Number of those over 50 ms. */
  readonly over: number;
  /** The longest frame, as far as the browser itself tells those over 50 ms, with the work that they had. */
  readonly told: number;
}

export interface Doing {
  /** Brings the page where it is to be done. */
  readonly open: (page: Page) => Promise<void>;
  readonly doing: (page: Page) => Promise<void>;
}

interface Seen {
  readonly deltas: readonly number[];
  readonly told: readonly number[];
}

/** Notes the time between frames, and what the browser tells of long ones. */
const WATCH = `(() => {
  let seen;
  let last;
  const note = (now) => {
    if (seen === undefined) return;
    if (last !== undefined) seen.deltas.push(now - last);
    last = now;
    requestAnimationFrame(note);
  };
  for (const type of ['long-animation-frame', 'longtask']) {
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen?.told.push(duration);
    }).observe({ type });
  }
  window.startFrames = () => {
    [seen, last] = [{ deltas: [], told: [] }, undefined];
    requestAnimationFrame(note);
  };
  window.endFrames = () => {
    const ended = seen;
    seen = undefined;
    return ended;
  };
})();`;

/**
 * Does each of these in a tab of its own, as often as there are rounds, beside the wheel over a page without anything:
 * it tells what the machine itself makes of frames.
 */
export async function measureFrames(
  bench: Bench,
  doings: Readonly<Record<string, Doing>>,
): Promise<readonly Finding[]> {
  const seen: Record<string, Frames[]> = {};
  for (let round = 0; round < bench.rounds; round += 1) {
    await bench.machine.look();
    tell('nothing but a wheel', await emptyFrames(bench));
    for (const [what, { doing, open }] of Object.entries(doings)) {
      const frames = await withTab(bench, WATCH, async ({ page }) => {
        await open(page);
        return framesOf(page, () => doing(page));
      });
      tell(what, frames);
      (seen[what] ??= []).push(frames);
    }
  }
  return Object.entries(seen).map(([what, all]) => {
    const value = median(all.map(({ longest, told }) => Math.max(longest, told)));
    return { what: `${what}: longest frame`, value, most: MOST_MS, unit: 'ms' };
  });
}

/** Turns the wheel at an even pace, over so many pixels. */
export async function wheel(page: Page, pixels: number, ms: number, isSideways = false): Promise<void> {
  const begun = performance.now();
  for (let done = 0; done < pixels;) {
    const next = Math.min(pixels, Math.ceil((pixels * (performance.now() - begun)) / ms) + 1);
    await page.mouse.wheel(isSideways ? next - done : 0, isSideways ? 0 : next - done);
    done = next;
  }
}

function emptyFrames(bench: Bench): Promise<Frames> {
  return withTab(bench, WATCH, async ({ page }) => {
    await page.goto('data:text/html,<body style="height:400000px">');
    await page.mouse.move(300, 300);
    return framesOf(page, () => wheel(page, 190_000, EMPTY_WHEEL_MS));
  });
}

async function framesOf(page: Page, doing: () => Promise<void>): Promise<Frames> {
  await page.evaluate('startFrames()');
  await doing();
  // Long frames are told after they have ended.
  await page.waitForTimeout(200);
  const { deltas, told }: Seen = await page.evaluate('endFrames()');
  // Three frames are 50 ms, and the clock of frames has a resolution of a tenth of a millisecond.
  const whole = deltas.map((ms) => Math.floor(ms));
  return {
    p95: percentile(whole, 0.95),
    longest: Math.max(...whole),
    over: whole.filter((ms) => ms > MOST_MS).length,
    told: Math.max(0, ...told),
  };
}

function tell(what: string, { longest, over, p95, told }: Frames): void {
  const work = told === 0 ? '' : `, the most work ${told.toFixed(0)} ms`;
  console.log(`${what}: frames p95 ${p95} ms, longest ${longest} ms, ${over} over ${MOST_MS} ms${work}`);
}
