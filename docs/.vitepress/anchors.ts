import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** Links of a built site whose `#anchor` is no id on their page, each as `page: link`. @param site its folder */
export function findDeadAnchors(site: string): readonly string[] {
  const pages = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  const texts = new Map(pages.map((page) => [`/${page}`, readFileSync(posix.join(site, page), 'utf8')]));
  const ids = new Map([...texts].map(([page, text]) => [page, matchesIn(text, / id="([^"]+)"/g)]));
  return [...texts].flatMap(([page, text]) =>
    [...matchesIn(text, / href="([^":]*#[^"]+)"/g)]
      .filter((link) => isDead(page, link, ids))
      .map((link) => `${page}: ${link}`),
  );
}

function isDead(page: string, link: string, ids: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const { pathname, hash } = new URL(link, `http://site${page}`);
  const target = ids.get(pathname.endsWith('/') ? `${pathname}index.html` : pathname);
  return target !== undefined && !target.has(decodeURIComponent(hash.slice(1)));
}

function matchesIn(text: string, pattern: RegExp): ReadonlySet<string> {
  return new Set([...text.matchAll(pattern)].map(([, match = '']) => match));
}
