import { stat } from 'node:fs/promises';
import type { Finding } from '../console/finding.js';
import { type Bench, withTab } from '../page-support.js';

const MOST_KB = 70;
const BUILT = new URL('../../libs/elastic-job/dist/page/assets/', import.meta.url);
const LOADED = `performance.getEntriesByType('resource').map(({ name }) => name)`;

/** Weighs the code and the style that a browser loads for the list of jobs, compressed by gzip. */
export async function measureFirstLoad(bench: Bench): Promise<readonly Finding[]> {
  const urls = await withTab(bench, '', async ({ page }): Promise<readonly string[]> => {
    await page.goto(`${bench.served.url}jobs`);
    await page.locator('.jobs-grid [data-index="0"] a').waitFor();
    return page.evaluate(LOADED);
  });
  const names = urls.map((url) => /\/assets\/(.+\.(?:js|css))$/.exec(url)?.[1]).filter((name) => name !== undefined);
  const sizes = await Promise.all(names.map(async (name) => (await stat(new URL(`${name}.gz`, BUILT))).size));
  const value = sizes.reduce((sum, size) => sum + size, 0) / 1_000;
  return [{ what: `code and style of the first load, ${names.length} files, gzip`, value, most: MOST_KB, unit: 'KB' }];
}
