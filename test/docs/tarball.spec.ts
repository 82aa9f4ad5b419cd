import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listTarball } from '../supply/workspace.js';

const LINK = /\]\(([^)\s#]+)(?:#[^)\s]*)?\)/g;

describe('the pages in the tarball', () => {
  let files: readonly string[];
  beforeAll(async () => {
    files = await listTarball('libs/elastic-job');
  });

  it('have the README with docs when the package is packed, and no copy of them is left', () => {
    const pages = ['README.md', 'SECURITY.md', 'CHANGELOG.md', 'docs/promises.md', 'docs/testing.md'];
    expect(files).toEqual(expect.arrayContaining(pages));
    expect(['README.md', 'docs'].filter((name) => existsSync(`libs/elastic-job/${name}`))).toEqual([]);
  });

  // The last file of this name, with any ending, becomes the page at npm: README.zh-CN.md would go over README.md.
  it('have one file that npm can take for the page of the package, the English README', () => {
    expect(files.filter((file) => /^readme(\.|$)/i.test(file))).toEqual(['README.md']);
    expect(files).toContain('README-zh-CN.md');
  });

  it('contain each page to which a link of another one leads', () => {
    const pages = files.filter((file) => file.endsWith('.md') && !file.startsWith('dist/'));
    const broken = pages.flatMap((page) => linksIn(page).filter((path) => !files.includes(path)));
    expect(pages.flatMap(linksIn)).toContain('docs/promises.md');
    expect(broken).toEqual([]);
  });
});

/** The files to which a page links. They lie in the tarball as they do in the repository. */
function linksIn(page: string): readonly string[] {
  const links = [...readFileSync(page, 'utf8').matchAll(LINK)].map(([, target = '']) => target);
  return links.filter((target) => !target.includes(':')).map((target) => posix.join(posix.dirname(page), target));
}
