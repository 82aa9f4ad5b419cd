import type { MarkdownRenderer } from 'vitepress';

/** A fence of Mermaid becomes the theme's component, on which GitHub draws by itself. */
export function drawDiagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return `<Diagram text="${encodeURIComponent(token.content)}" />`;
    return fence?.(tokens, index, options, env, self) ?? '';
  };
}

/** Between the words of a name, such as `maxAttempts`, `ELASTIC_JOB_HOST` or `registry.tls`. */
const WORD_ENDS = /(?<=[a-z\d])(?=[A-Z])|(?<=[_.:/,-])(?=\w)/g;

/** Lets a long name in a cell of a table go on in the next line. It is copied and found as a whole. */
export function breakNamesInTables(md: MarkdownRenderer): void {
  md.core.ruler.push('names-in-tables', ({ tokens }) => {
    for (const [index, { children }] of tokens.entries()) {
      if (!/^t[dh]_open$/.test(tokens[index - 1]?.type ?? '')) continue;
      for (const child of children ?? []) child.meta = { ...child.meta, isInTable: true };
    }
  });
  const code = md.renderer.rules.code_inline;
  md.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    const html = code?.(tokens, index, options, env, self) ?? '';
    const isInTable = tokens[index]?.meta?.isInTable === true;
    return isInTable ? html.replaceAll(/(?<=>)[^<]+(?=<)/g, (text) => text.replaceAll(WORD_ENDS, '<wbr>')) : html;
  };
}
