import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listPages, originalOf } from './blocks/blocks.js';
import { findDifferences } from './blocks/translation.js';

/** Folders of the pages that must exist in Chinese as well. */
const FOLDERS = 'start|concepts|features|production|kubernetes|operate|recipes|test|migrate|cloud';
const GUIDE = new RegExp(String.raw`^(README|docs/((${FOLDERS})/.+|beside-java|choose|faq))\.md$`);

const pages = listPages();
const translations = pages.filter((page) => originalOf(page) !== page);
const read = (page: string) => readFileSync(page, 'utf8');

describe('the Chinese pages', () => {
  it('have an English page each', () => {
    expect(translations.filter((page) => !existsSync(originalOf(page)))).toEqual([]);
  });

  it('have the headings and the code of the English ones', () => {
    const pairs = translations.map((page) => [originalOf(page), page] as const).filter(([page]) => existsSync(page));
    expect(pairs.flatMap(([page, other]) => findDifferences(read(page), read(other), [page, other]))).toEqual([]);
  });

  it('are there for each page of the guide', () => {
    const guide = pages.filter((page) => GUIDE.test(page));
    expect(guide.filter((page) => !translations.some((other) => originalOf(other) === page))).toEqual([]);
  });
});
