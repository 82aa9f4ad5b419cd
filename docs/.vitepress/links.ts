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
    const page = `/${env.relativePath}`;
    const source = SHOWING.get(page) ?? `docs${page}`;
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
