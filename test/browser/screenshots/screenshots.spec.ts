import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { takeScreenshots } from './take.js';

it('pictures of the demo for the documents can be made, and are small', { timeout: 90_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'screenshots-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  const names = await takeScreenshots(folder);

  expect(names).toEqual(
    ['overview', 'jobs'].flatMap((view) => ['light', 'dark'].map((theme) => `${view}-${theme}.png`)),
  );
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    expect([name, bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([name, 1_280, 860]);
    expect([name, bytes.length > 20_000 && bytes.length < 200_000]).toEqual([name, true]);
  }
});
