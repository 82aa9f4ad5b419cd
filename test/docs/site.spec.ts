import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createMarkdownRenderer } from 'vitepress';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findDeadAnchors } from '../../docs/.vitepress/anchors.js';
import { cardOf } from '../../docs/.vitepress/head.js';
import { rewriteLinks, showPictures, slugify } from '../../docs/.vitepress/links.js';
import { breakNamesInTables } from '../../docs/.vitepress/markdown.js';
import { sidebarOf } from '../../docs/.vitepress/navigation.js';
import { MINI_SEARCH } from '../../docs/.vitepress/search.js';

// One for all: VitePress makes its renderer once in a process.
const root = mkdtempSync(join(tmpdir(), 'site-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('rewriteLinks', () => {
  const found: string[] = [];
  beforeEach(() => void found.splice(0));

  /** The links of a text on a page, as the site has them. */
  async function linksOf(page: string, text: string): Promise<readonly string[]> {
    const md = await createMarkdownRenderer(root, {
      config: (made) => rewriteLinks(made, root, (file) => found.push(file)),
    });
    const html = md.render(text, { path: join(root, 'docs', page), relativePath: page, cleanUrls: false });
    return [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href);
  }

  it('makes links of GitHub links of the site, also of pages that show a file of the root', async () => {
    write('docs/start/a.md', 'README.md', 'CONTRIBUTING.md');
    expect(await linksOf('faq.md', '[a](start/a.md#here) [b](../README.md#more)')).toEqual([
      '/start/a.html#here',
      '/overview.html#more',
    ]);
    expect(await linksOf('overview.md', '[a](docs/start/a.md) [b](CONTRIBUTING.md)')).toEqual([
      '/start/a.html',
      '/project/contributing.html',
    ]);
  });

  it('makes a download of a file that is no page, and tells of it', async () => {
    write('docs/model/item.pml');
    expect(await linksOf('model/README.md', '[a](item.pml)')).toEqual(['/files/docs/model/item.pml']);
    expect(found).toEqual(['docs/model/item.pml']);
  });

  it('refuses a link to a file that does not exist, and leaves other sites alone', async () => {
    await expect(linksOf('faq.md', '[a](gone.md)')).rejects.toThrow('docs/faq.md links to gone.md');
    expect(await linksOf('faq.md', '[a](https://example.org/a.md) [b](#here)')).toEqual([
      'https://example.org/a.md',
      '#here',
    ]);
  });
});

describe('showPictures', () => {
  const picture = (alt: string, light: string) =>
    `<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="console/a-dark.png">\n` +
    `  <img ${alt} src="${light}">\n</picture>\n`;

  /** The pictures of a text on a page, as the site has them. */
  async function picturesOf(page: string, text: string): Promise<readonly string[]> {
    const md = await createMarkdownRenderer(root);
    showPictures(md, root);
    const html = md.render(text, { path: join(root, 'docs', page), relativePath: page, cleanUrls: false });
    return html.match(/<img[^>]*>/g) ?? [];
  }

  it('gives a page both pictures, of which its theme shows one, also where it shows a file of the root', async () => {
    write('docs/operate/console/a-dark.png', 'docs/operate/console/a-light.png', 'console/a-dark.png', 'a.png');
    expect(await picturesOf('operate/console.md', picture('alt="A\nmap"', 'console/a-light.png'))).toEqual([
      '<img class="in-light" loading="lazy" alt="A\nmap" src="./console/a-light.png">',
      '<img class="in-dark" loading="lazy" alt="A\nmap" src="./console/a-dark.png">',
    ]);
    expect(await picturesOf('overview.md', picture('alt="A"', 'a.png'))).toEqual([
      '<img class="in-light" loading="lazy" alt="A" src="./../a.png">',
      '<img class="in-dark" loading="lazy" alt="A" src="./../console/a-dark.png">',
    ]);
  });

  it('refuses a picture that does not exist, and one that is written otherwise', async () => {
    await expect(picturesOf('operate/console.md', picture('alt="A"', 'gone.png'))).rejects.toThrow(
      'docs/operate/console.md shows gone.png, which does not exist.',
    );
    await expect(picturesOf('faq.md', '<picture>\n<img src="a.png">\n</picture>\n')).rejects.toThrow(
      'docs/faq.md has a picture that is not in two themes.',
    );
  });
});

describe('findDeadAnchors', () => {
  it('finds anchors without an id, on the same page and on others', () => {
    write('site/a.html', 'site/b/c.html');
    const site = join(root, 'site');
    writeFileSync(join(site, 'a.html'), '<h2 id="one"><a href="#one"></a><a href="/b/c.html#two"></a>');
    writeFileSync(join(site, 'b/c.html'), '<h2 id="two"><a href="../a.html#gone"></a><a href="#three"></a>');
    expect(findDeadAnchors(site)).toEqual(['/b/c.html: ../a.html#gone', '/b/c.html: #three']);
  });
});

describe('the site', () => {
  it('names headings as GitHub does', () => {
    expect(slugify('What does `refused: foreign` mean?')).toBe('what-does-refused-foreign-mean');
    expect(slugify('SESSION_LOST & others')).toBe('session_lost--others');
    expect(slugify('怎样停掉一个分片项？')).toBe('怎样停掉一个分片项');
  });

  it('gives the card of a link full addresses where it knows its own', () => {
    const addresses = (relativePath: string, address?: string) =>
      cardOf({ relativePath, title: 'a' }, 'b', address).flatMap(([, { property, content }]) =>
        ['og:image', 'og:url'].includes(property ?? '') ? [content] : [],
      );
    expect(addresses('start/crash.md')).toEqual(['/card.png']);
    expect(addresses('start/crash.md', 'https://a.b')).toEqual([
      'https://a.b/card.png',
      'https://a.b/start/crash.html',
    ]);
    expect(addresses('zh/index.md', 'https://a.b')).toEqual(['https://a.b/card.png', 'https://a.b/zh/']);
  });

  it('lets names break at the ends of their words in tables, and nowhere else', async () => {
    const md = await createMarkdownRenderer(root);
    breakNamesInTables(md);
    const codes = (text: string) => [...md.render(text).matchAll(/<code[^>]*>(.*?)<\/code>/g)].map(([, code]) => code);
    expect(codes('| `maxAttempts` | `registry.tls` |\n| - | - |\n| `JOB_HOST` | `a => B<C>` |')).toEqual([
      'max<wbr>Attempts',
      'registry.<wbr>tls',
      'JOB_<wbr>HOST',
      'a =&gt; B&lt;C&gt;',
    ]);
    expect(codes('`maxAttempts`')).toEqual(['maxAttempts']);
  });

  it('shows pages in the order of its list, and in English those that a language lacks', () => {
    write('docs/start/zookeeper.md', 'docs/start/first-job.md', 'docs/zh/start/zookeeper.md');
    const [start] = sidebarOf(join(root, 'docs'), 'zh');
    expect(start?.items.map(({ link }) => link)).toEqual(['/start/first-job', '/zh/start/zookeeper']);
  });

  it('splits English, Chinese and names of code into words', () => {
    const { tokenize } = MINI_SEARCH.options;
    expect(tokenize?.('The session timeout')).toEqual(['The', 'session', 'timeout']);
    expect(tokenize?.('会话，zookeeper')).toEqual(['会话', 'zookeeper']);
    expect(tokenize?.('javaReconnectGraceMs')).toEqual(['javaReconnectGraceMs', 'java', 'Reconnect', 'Grace', 'Ms']);
    expect(tokenize?.('SESSION_LOST')).toEqual(['SESSION_LOST', 'SESSION', 'LOST']);
  });
});

function write(...files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '# Title\n');
  }
}
