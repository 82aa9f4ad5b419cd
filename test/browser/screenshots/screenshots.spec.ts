import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@test/support/chromium.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PICTURES, SIZE, takeScreenshots } from './take.js';

const FOLDER = 'docs/operate/console';
const PAGES = ['README.md', 'README-zh-CN.md', `${FOLDER}.md`, 'docs/zh/operate/console.md'];
const MOST_BYTES = 150_000;

describe('the pictures of the documents', () => {
  it('can be made of the demo, and are small', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'screenshots-'));
    onTestFinished(() => rm(folder, { recursive: true }));

    await takeScreenshots(folder);

    expect((await readdir(folder)).toSorted()).toEqual(PICTURES.toSorted());
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    for (const name of PICTURES) {
      const bytes = await readFile(join(folder, name));
      await page.setContent(`<img src="data:image/webp;base64,${bytes.toString('base64')}">`);
      expect([name, await page.locator('img').boundingBox()]).toEqual([name, expect.objectContaining(SIZE)]);
      expect([name, bytes.length > 20_000 && bytes.length < MOST_BYTES]).toEqual([name, true]);
    }
  });

  it('are all shown by a page, and no page shows another one', async () => {
    const texts = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));

    const shown = texts.flatMap((text) => [...text.matchAll(/console\/([\w-]+\.webp)/g)].map(([, name = '']) => name));

    expect([...new Set(shown)].toSorted()).toEqual(PICTURES.toSorted());
    expect((await readdir(FOLDER)).toSorted()).toEqual(PICTURES.toSorted());
  });
});
