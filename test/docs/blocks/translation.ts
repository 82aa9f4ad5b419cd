import ts from 'typescript';
import { type Block, placeOf, readBlocks } from './blocks.js';

/** Comments of languages whose texts cannot contain the same signs. */
const COMMENTS: Readonly<Record<string, RegExp>> = {
  sh: /(?<!\S)#.*/g,
  yaml: /(?<!\S)#.*/g,
  properties: /^\s*[#!].*/gm,
  sql: /--.*/g,
  mermaid: /^\s*%%.*/gm,
};
/** Mark in place of a comment. */
const MARK = '\0';

/** Finds differences between a page and its translation: headings by their levels, and code except for its comments. */
export function findDifferences(original: string, translation: string, [page, translated]: readonly [string, string]) {
  const [levels, others] = [levelsOf(original), levelsOf(translation)];
  const [blocks, translatedBlocks] = [readBlocks(page, original), readBlocks(translated, translation)];
  const differences = [
    ...(levels === others ? [] : [`${translated}: The levels of its headings are ${others} instead of ${levels}.`]),
    ...(blocks.length === translatedBlocks.length
      ? []
      : [`${translated}: It has ${translatedBlocks.length} blocks of code instead of ${blocks.length}.`]),
  ];
  const changed = translatedBlocks.filter((block, index) => blocks[index] && !isSame(block, blocks[index]));
  return [...differences, ...changed.map((block) => `${placeOf(block)}: The code is not that of ${page}.`)];
}

function levelsOf(page: string): string {
  const prose = page.replace(/^(\s*)(`{3,}|~{3,})[^]*?^\s*\2\s*$/gm, '');
  return [...prose.matchAll(/^(#{1,6}) /gm)].map(([, signs = '']) => signs.length).join(' ');
}

function isSame(block: Block, other: Block): boolean {
  const facts = (one: Block) => [one.language, one.file, one.setUp.join(), withoutComments(one)].join(MARK);
  return facts(block) === facts(other);
}

/** The text without its comments, and without lines that contain only comments. */
function withoutComments({ language, text }: Block): string {
  const marked = language === 'ts' ? markTypeScript(text) : text.replace(COMMENTS[language] ?? /(?!)/g, MARK);
  return marked
    .split('\n')
    .filter((line) => !line.includes(MARK) || line.replaceAll(MARK, '').trim() !== '')
    .map((line) => line.replaceAll(MARK, '').trimEnd())
    .join('\n');
}

function markTypeScript(text: string): string {
  const source = ts.createSourceFile('block.ts', text, ts.ScriptTarget.ES2023);
  const comments = new Map<number, number>();
  const visit = (node: ts.Node): void => {
    const leading = ts.getLeadingCommentRanges(text, node.pos) ?? [];
    const trailing = ts.getTrailingCommentRanges(text, node.end) ?? [];
    for (const { pos, end } of [...leading, ...trailing]) comments.set(pos, end);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const backwards = [...comments].toSorted(([a], [b]) => b - a);
  return backwards.reduce((rest, [pos, end]) => `${rest.slice(0, pos)}${MARK}${rest.slice(end)}`, text);
}
