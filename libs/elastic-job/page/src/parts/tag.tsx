import type { ComponentChildren } from 'preact';

/** Kinds of states, as the colours of `tokens.css` are named. */
export type Tone = 'ok' | 'run' | 'bad' | 'warn' | 'move' | 'miss' | 'off' | 'accent';

export function Tag({ children, tone = 'off' }: { readonly children: ComponentChildren; readonly tone?: Tone }) {
  return <span class={`tag ${tone}`}>{children}</span>;
}
