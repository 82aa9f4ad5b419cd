/** Names a position of one text: `line 3`. */
export type PlaceOf = (at: number) => string;

/** Names positions by their lines, from 1: `line 3`. */
export function linesOf(text: string): PlaceOf {
  const placeOf = linesAndStartsOf(text);
  return (at) => `line ${placeOf(at).line}`;
}

/** Names positions by line and column, from 1: `line 3, column 5`. */
export function linesAndColumnsOf(text: string): PlaceOf {
  const placeOf = linesAndStartsOf(text);
  return (at) => {
    const { line, start } = placeOf(at);
    return `line ${line}, column ${at - start + 1}`;
  };
}

/** Line of a position and the start of that line. The text is searched for its lines at the first question. */
function linesAndStartsOf(text: string): (at: number) => { readonly line: number; readonly start: number } {
  let starts: readonly number[] | undefined;
  return (at) => {
    starts ??= startsOfLines(text);
    let [line, end] = [0, starts.length];
    while (end - line > 1) {
      const middle = (line + end) >>> 1;
      if (starts[middle]! <= at) line = middle;
      else end = middle;
    }
    return { line: line + 1, start: starts[line]! };
  };
}

function startsOfLines(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}
