import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** One fenced block of a Markdown page. */
export interface Block {
  /** The path of the page from the root of the workspace. */
  readonly page: string;
  /** Number of its first line below the fence, counted from one. */
  readonly line: number;
  /** The heading of the second level above it; empty before the first one. */
  readonly section: string;
  /** Its tag, such as `ts`; empty if it has none. */
  readonly language: string;
  readonly text: string;
  /** The path that its first line names in a comment. */
  readonly file: string | undefined;
  /** Paths that comments such as `<!-- with: test/docs/set-up/orders.ts -->` above it name. */
  readonly setUp: readonly string[];
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*([\w+-]*)/;
const FILE = /^(?:\/\/|#) (\S+\.\w+)$/;
const SET_UP = /^\s*<!-- with: (\S+) -->$/;
const PAGES = ['README.md', 'README-zh-CN.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/*.md', 'examples/*README.md'];

/** The pages whose blocks are checked. Git leaves out generated pages that are not committed. */
export function listPages(): readonly string[] {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate', '--', ...PAGES];
  return execFileSync('git', listed, { encoding: 'utf8' }).split('\0').filter(Boolean).toSorted();
}

/** The fenced blocks of a page, in their order. @throws if the last one has no end */
export function readBlocks(page: string, text = readFileSync(page, 'utf8')): readonly Block[] {
  const blocks: Block[] = [];
  let section = '';
  let setUp: string[] = [];
  let open: { readonly indent: number; readonly fence: string; readonly block: Block } | undefined;
  let inside: string[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (open) {
      if (!endsBlock(line, open.fence)) {
        inside.push(line.slice(Math.min(open.indent, line.search(/\S|$/))));
        continue;
      }
      const code = inside.map((one) => `${one}\n`).join('');
      blocks.push({ ...open.block, text: code, file: FILE.exec(inside[0] ?? '')?.[1] });
      [open, inside, setUp] = [undefined, [], []];
      continue;
    }
    const [, indent = '', fence, language = ''] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const block = { page, line: index + 2, section, language, text: '', file: undefined, setUp };
      open = { indent: indent.length, fence, block };
    } else if (line.startsWith('## ')) section = line.slice(3);
    const named = SET_UP.exec(line)?.[1];
    if (named !== undefined) setUp.push(named);
    else if (fence === undefined && line.trim() !== '') setUp = [];
  }
  if (open) throw new Error(`${page}:${open.block.line}: The block has no end.`);
  return blocks;
}

function endsBlock(line: string, fence: string): boolean {
  const end = line.trim();
  return end.startsWith(fence) && end.replaceAll(fence.charAt(0), '') === '';
}

/**
 * The files of a reader who has followed the page to the end of a section, from path to block. A later block replaces
 * an earlier one of the same path.
 */
export function filesUpTo(blocks: readonly Block[], section: string): ReadonlyMap<string, Block> {
  const last = blocks.findLastIndex((block) => block.section === section);
  return new Map(
    blocks.slice(0, last + 1).flatMap((block) => (block.language === 'ts' && block.file ? [[block.file, block]] : [])),
  );
}

/** The place of a block, as errors name it. */
export function placeOf({ page, line }: Pick<Block, 'page' | 'line'>): string {
  return `${page}:${line}`;
}

/** The English page that a page translates, or itself. */
export function originalOf(page: string): string {
  return page.replace(/^docs\/zh\//, 'docs/').replace(/^README-zh-CN\.md$/, 'README.md');
}
