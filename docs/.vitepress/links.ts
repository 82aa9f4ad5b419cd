import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

/** Files that pages of the site show by an include, with the page of each. */
const SHOWN: ReadonlyMap<string, string> = new Map([
  ['README.md', '/overview.md'],
  ['README-zh-CN.md', '/zh/overview.md'],
  ['CONTRIBUTING.md', '/project/contributing.md'],
  ['CHANGELOG.md', '/project/changelog.md'],
  ['SECURITY.md', '/project/reporting.md'],
]);
const SHOWING: ReadonlyMap<string, string> = new Map([...SHOWN].map(([file, page]) => [page, file]));

/** Folder of the site below which files lie that are no pages. */
export const FILES = '/files';

/** A link that does not leave the repository. */
const RELATIVE = /^(?![a-z]+:|\/|#)([^#]+)(#.*)?$/i;

/**
 * Makes links of the sources, which are right on GitHub, right on the site: a shown file is its page, and a file that
 * is no page is a download.
 * @param root folder of the repository
 * @param found is told of each file that a page links to
 * @throws {Error} if the file of a link does not exist
 */
export function rewriteLinks(md: MarkdownRenderer, root: string, found: (file: string) => void): void {
  md.core.ruler.push('links-of-the-repository', ({ tokens, env }) => {
    const source = sourceOf(env.relativePath);
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const [, path, anchor = ''] = RELATIVE.exec(token.attrGet('href') ?? '') ?? [];
        if (token.type !== 'link_open' || path === undefined) continue;
        const file = posix.join(posix.dirname(source), decodeURI(path));
        if (!existsSync(posix.join(root, file))) throw new Error(`${source} links to ${path}, which does not exist.`);
        const target = pageOf(file);
        token.attrSet('href', `${target ?? `${FILES}/${file}`}${anchor}`);
        if (target !== undefined) continue;
        token.attrSet('download', '');
        found(file);
      }
    }
  });
}

/** A picture in two themes, of which GitHub and npm show that of the device. */
const PICTURE = new RegExp(
  [
    '<picture>',
    String.raw`<source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)">`,
    String.raw`<img\s+(alt="[^"]*")\s+src="([^"]+)">`,
    '</picture>',
  ].join(String.raw`\s*`),
  'g',
);

/**
 * Shows a picture in the theme that the reader has chosen on the site, which need not be that of the device.
 * @param root folder of the repository
 * @throws {Error} if the file of a picture does not exist, or a picture is not written like the others
 */
export function showPictures(md: MarkdownRenderer, root: string): void {
  md.core.ruler.push('pictures-in-two-themes', ({ tokens, env }) => {
    const source = sourceOf(env.relativePath);
    const folder = posix.dirname(`docs/${env.relativePath}`);
    const srcOf = (path: string): string => {
      const file = posix.join(posix.dirname(source), path);
      if (!existsSync(posix.join(root, file))) throw new Error(`${source} shows ${path}, which does not exist.`);
      return `./${posix.relative(folder, file)}`;
    };
    for (const token of tokens.filter(({ type }) => type === 'html_block')) {
      token.content = token.content.replaceAll(
        PICTURE,
        (_, dark: string, alt: string, light: string) =>
          `<img class="in-light" loading="lazy" ${alt} src="${srcOf(light)}">` +
          `<img class="in-dark" loading="lazy" ${alt} src="${srcOf(dark)}">`,
      );
      if (token.content.includes('<picture>')) throw new Error(`${source} has a picture that is not in two themes.`);
    }
  });
}

/** The file of the repository whose text a page has. */
function sourceOf(relativePath: string): string {
  return SHOWING.get(`/${relativePath}`) ?? `docs/${relativePath}`;
}

function pageOf(file: string): string | undefined {
  const isPage = file.startsWith('docs/') && file.endsWith('.md');
  return SHOWN.get(file) ?? (isPage ? file.slice('docs'.length) : undefined);
}

/** GitHub's rule, so that an anchor means the same heading there and on the site. */
export function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
