import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '@test/support/chromium.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inPalette } from './palette.js';
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
    for (const name of PICTURES) {
      const bytes = await readFile(join(folder, name));
      const size = { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
      expect({ name, size }).toEqual({ name, size: SIZE });
      expect([name, bytes.length > 20_000 && bytes.length < MOST_BYTES]).toEqual([name, true]);
    }
  });

  it('are all shown by a page, and no page shows another one', async () => {
    const texts = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));

    const shown = texts.flatMap((text) => [...text.matchAll(/console\/([\w-]+\.png)/g)].map(([, name = '']) => name));

    expect([...new Set(shown)].toSorted()).toEqual(PICTURES.toSorted());
    expect((await readdir(FOLDER)).toSorted()).toEqual(PICTURES.toSorted());
  });

  it('look in 256 colours as they did, if they had no more', async () => {
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 300, height: 40 } });
    await page.setContent('<body style="margin: 0; background: linear-gradient(to right, #000, #fff)">');
    const before = await page.screenshot();

    const after = inPalette(before);
    await page.setContent(`<body style="margin: 0"><img src="data:image/png;base64,${after.toString('base64')}">`);

    expect(after.equals(before)).toBe(false);
    expect((await page.screenshot()).equals(before)).toBe(true);
  });
});
