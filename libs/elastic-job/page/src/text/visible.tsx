import { type Lines, piecesOf, wholeText } from './unseen.js';

interface TextProps {
  readonly children: string;
  /** @default 'codes' */
  readonly lines?: Lines;
}

/** A text of the registry. Where its first line stands for it, its title is the whole. */
export function Text({ children, lines = 'codes' }: TextProps) {
  const pieces = piecesOf(children, lines);
  const title = lines === 'first' ? wholeText(children) : undefined;
  return (
    <bdi title={title} class={lines === 'all' ? 'lines' : undefined}>
      {pieces.map(({ isCode, text }) => (isCode ? <code class="unseen">{text}</code> : text))}
    </bdi>
  );
}
