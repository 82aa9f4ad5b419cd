/** One fenced block of a Markdown page. */
export interface Block {
  /** The heading of the second level above it; empty before the first one. */
  readonly section: string;
  /** Its tag, such as `ts`; empty if it has none. */
  readonly language: string;
  readonly text: string;
  /** The path that its first line names in a comment. */
  readonly file: string | undefined;
}

const FENCE = /^```(.*)\n([^]*?)^```$/gm;
const FILE = /^(?:\/\/|#) (\S+\.\w+)$/;

/** The fenced blocks of a page, in their order. */
export function readBlocks(page: string): readonly Block[] {
  const [before = '', ...parts] = page.split(/^## /m);
  const sections = parts.map((part) => ({ section: part.slice(0, part.indexOf('\n')), text: part }));
  return [{ section: '', text: before }, ...sections].flatMap(({ section, text }) =>
    [...text.matchAll(FENCE)].map(([, language = '', code = '']) => ({
      section,
      language,
      text: code,
      file: FILE.exec(code.slice(0, code.indexOf('\n')))?.[1],
    })),
  );
}

/** The files of a reader who has followed the page up to the end of a section: path to text. A later block replaces. */
export function filesUpTo(blocks: readonly Block[], section: string): ReadonlyMap<string, string> {
  const last = blocks.findLastIndex((block) => block.section === section);
  return new Map(
    blocks.slice(0, last + 1).flatMap(({ language, file, text }) => (language === 'ts' && file ? [[file, text]] : [])),
  );
}
