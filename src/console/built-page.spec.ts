import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ensurePage } from './built-page.js';

/** A clone whose builds write `page 1`, `page 2` and so on. */
async function aClone() {
  const root = await mkdtemp(join(tmpdir(), 'clone-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, 'page/src'), { recursive: true });
  await writeFile(join(root, 'page/src/main.tsx'), '');
  const built = pathToFileURL(join(root, 'dist/page/'));
  const told: string[] = [];
  let builds = 0;
  const build = async (folder: string) => {
    builds += 1;
    await writeFile(join(folder, `index-${builds}.js`), '');
    await writeFile(join(folder, 'index.html'), `page ${builds}`);
  };
  const parts = {
    built,
    sources: [pathToFileURL(join(root, 'page/'))],
    build,
    tell: (line: string) => told.push(line),
  };
  return {
    told,
    ensure: (given: Partial<typeof parts> = {}) => ensurePage({ ...parts, ...given }),
    page: () => readFile(new URL('index.html', built), 'utf8'),
    files: () => readdir(built),
    touch: (inMs: number) => {
      const at = new Date(Date.now() + inMs);
      return utimes(join(root, 'page/src/main.tsx'), at, at);
    },
  };
}

describe('the page in a clone', () => {
  it('is built at the first start of all, which says so, and then stays', async () => {
    const { ensure, page, told } = await aClone();

    await ensure();
    await ensure();

    expect(await page()).toBe('page 1');
    expect(told).toEqual([expect.stringContaining('Building the page')]);
  });

  it('is built again, and whole, once a source is newer', async () => {
    const { ensure, files, page, touch } = await aClone();
    await ensure();
    await touch(60_000);

    await ensure();

    expect([await page(), (await files()).toSorted()]).toEqual(['page 2', ['index-2.js', 'index.html']]);
  });

  it('stays as it was if a build fails', async () => {
    const { ensure, page, touch } = await aClone();
    await ensure();
    await touch(60_000);

    const build = () => Promise.reject(new Error('a mistake in the source'));

    await expect(ensure({ build })).rejects.toThrow('a mistake in the source');
    expect(await page()).toBe('page 1');
  });

  it('is whole after two starts at once', async () => {
    const { ensure, files } = await aClone();

    await Promise.all([ensure(), ensure()]);

    expect((await files()).filter((file) => file.endsWith('.js'))).toHaveLength(1);
  });
});
