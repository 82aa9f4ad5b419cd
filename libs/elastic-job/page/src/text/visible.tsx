import { piecesOf } from './unseen.js';

/** A text of the registry. @param lines keeps its line feeds and tabs */
export function Text({ children, lines = false }: { readonly children: string; readonly lines?: boolean }) {
  const pieces = piecesOf(children, lines ? '\n\t' : '');
  if (pieces.length === 1 && pieces[0]?.isCode === false) return <bdi>{children}</bdi>;
  return <bdi>{pieces.map(({ isCode, text }) => (isCode ? <code class="unseen">{text}</code> : text))}</bdi>;
}
