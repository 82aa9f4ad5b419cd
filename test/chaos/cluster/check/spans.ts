import type { Span } from './history.js';

/** The spans in order, with touching ones joined. */
export function union(spans: readonly Span[]): readonly Span[] {
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of spans.filter((span) => span.to > span.from).toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

export function overlap(a: Span, b: Span): Span {
  return { from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) };
}

export function touches(a: Span, b: Span): boolean {
  return a.from <= b.to && b.from <= a.to;
}

/** Length of the span that none of the spans covers, in milliseconds. @param spans in order, none touching another */
export function uncovered(span: Span, spans: readonly Span[]): number {
  const covered = spans
    .map((each) => overlap(span, each))
    .reduce((sum, { from, to }) => sum + Math.max(0, to - from), 0);
  return span.to - span.from - covered;
}
