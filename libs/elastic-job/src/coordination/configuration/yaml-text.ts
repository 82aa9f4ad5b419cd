import { endOfLine, isBlankAt, isFlowIndicatorAt, type YamlCursor } from './yaml-cursor.js';

/** Position of a text. */
export interface TextPlace {
  /** Indent that further lines of the text must exceed. */
  readonly indent: number;
  /** True inside `[...]` or `{...}`, where lines may be indented freely. */
  readonly isFlow: boolean;
}

/** Characters that cannot begin a plain text. */
const INDICATORS = ',[]{}#&*!|>\'"%@`';
const ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({ 0: '\0', a: '\u0007', b: '\b', t: '\t', '\t': '\t', n: '\n', v: '\v', f: '\f', r: '\r' }),
);
const MORE_ESCAPES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    e: '\u001b',
    ' ': ' ',
    '"': '"',
    '/': '/',
    '\\': '\\',
    N: '\u0085',
    _: '\u00a0',
    L: '\u2028',
    P: '\u2029',
  }),
);
const CODE_LENGTHS: ReadonlyMap<string, number> = new Map(Object.entries({ x: 2, u: 4, U: 8 }));
const HASH = 0x23;
const COLON = 0x3a;
const GREATEST_CODE = 0x10ffff;

/** Fails for a text that begins with a character of another meaning. */
export function assertBeginsPlain(cursor: YamlCursor, isFlow = false): void {
  const { at, char, text } = cursor;
  const isLone =
    (char === '-' || char === '?' || char === ':') &&
    (isBlankAt(text, at + 1) || (isFlow && isFlowIndicatorAt(text, at + 1)));
  const isEnd = char === '' || cursor.isDocumentMarker();
  if (!isLone && !isEnd && !INDICATORS.includes(char)) return;
  cursor.fail(isEnd ? 'it ends too early' : `"${char}" cannot begin a text without quotes`);
}

/** A text without quotes, on one line or several, which are folded. */
export function readPlain(cursor: YamlCursor, place: TextPlace): string {
  assertBeginsPlain(cursor, place.isFlow);
  const first = takePlainLine(cursor, place.isFlow);
  if (cursor.char !== '\n') return first;
  const parts = [first];
  while (cursor.char === '\n') {
    const next = cursor.laterLine();
    if (next === undefined || cursor.text[next.at] === '#' || endsText(cursor, next.start, next.at, place)) break;
    if (place.isFlow && isFlowIndicatorAt(cursor.text, next.at)) break;
    cursor.startLine(next.start, next.at);
    parts.push(fold(next.blankLines), takePlainLine(cursor, place.isFlow));
  }
  return parts.join('');
}

/**
 * Leaves the cursor at the end of the text in its line: the line's end, a comment or, inside brackets, an indicator.
 */
function takePlainLine(cursor: YamlCursor, isFlow: boolean): string {
  const { at: start, text, lineEnd } = cursor;
  let at = start;
  for (; at < lineEnd; at += 1) {
    const code = text.charCodeAt(at);
    if (code === HASH && at > start && isBlankAt(text, at - 1)) break;
    if (isFlow && isFlowIndicatorAt(text, at)) break;
    if (code !== COLON) continue;
    if (isFlow && (isBlankAt(text, at + 1) || isFlowIndicatorAt(text, at + 1))) break;
    if (!isFlow && isBlankAt(text, at + 1)) cursor.fail('a mapping cannot begin inside a text', at);
  }
  const end = trimmedEnd(text, start, at);
  cursor.at = at;
  cursor.textEnd = end;
  return text.slice(start, end);
}

/** A text in single or double quotes, on one line or several, which are folded. */
export function readQuoted(cursor: YamlCursor, place: TextPlace): string {
  const { at: start, char: quote, text } = cursor;
  const verbatim = quote === '"' ? /[^"\\\n]*/y : /[^'\n]*/y;
  const parts: string[] = [];
  cursor.at += 1;
  for (;;) {
    const from = cursor.at;
    verbatim.lastIndex = from;
    verbatim.test(text);
    cursor.at = verbatim.lastIndex;
    const { char } = cursor;
    if (char === '') cursor.fail('the quotes are not closed', start);
    parts.push(text.slice(from, char === '\n' ? trimmedEnd(text, from, cursor.at) : cursor.at));
    if (char === '\n') parts.push(fold(skipLineEnd(cursor, place, start)));
    else if (char === '\\') parts.push(takeEscape(cursor, place, start));
    else if (quote === '"' || text[cursor.at + 1] !== quote) break;
    else {
      parts.push(quote);
      cursor.at += 2;
    }
  }
  cursor.at += 1;
  cursor.textEnd = cursor.at;
  return parts.join('');
}

/** @returns the number of blank lines */
function skipLineEnd(cursor: YamlCursor, place: TextPlace, start: number): number {
  const next = cursor.laterLine();
  if (next === undefined || endsText(cursor, next.start, next.at, place)) {
    return cursor.fail('the quotes are not closed, or a line of the text is not indented', start);
  }
  cursor.startLine(next.start, next.at);
  return next.blankLines;
}

function takeEscape(cursor: YamlCursor, place: TextPlace, start: number): string {
  const { at, text } = cursor;
  const name = text[at + 1] ?? '';
  cursor.at += 2;
  if (name === '\n' || (name === '\r' && text[at + 2] === '\n')) {
    cursor.at = endOfLine(text, at);
    return '\n'.repeat(skipLineEnd(cursor, place, start));
  }
  const length = CODE_LENGTHS.get(name);
  if (length === undefined) {
    return ESCAPES.get(name) ?? MORE_ESCAPES.get(name) ?? cursor.fail(`"\\${name}" is not an escape`, at);
  }
  const digits = text.slice(cursor.at, cursor.at + length);
  const code = /^[\da-f]+$/i.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : Infinity;
  if (code > GREATEST_CODE) cursor.fail(`"\\${name}${digits}" is not a character`, at);
  cursor.at += length;
  return String.fromCodePoint(code);
}

/**
 * A text after `|` or `>`. Leaves the cursor at the start of the line after it.
 * @param indent indent of its parent
 */
export function readBlock(cursor: YamlCursor, indent: number): string {
  const isLiteral = cursor.char === '|';
  cursor.at += 1;
  const marks = cursor.takeWord();
  const isRight = /^(?:[1-9][-+]?|[-+][1-9]?)?$/.test(marks) && cursor.isLineDone();
  if (!isRight) cursor.fail('only a digit and one of "-" and "+" may follow "|" or ">"');
  const digit = /\d/.exec(marks)?.[0];
  const lines = takeBlockLines(cursor, indent, digit === undefined ? undefined : Math.max(indent, 0) + Number(digit));
  const last = lines.findLastIndex((line) => line !== '');
  const body = lines.slice(0, last + 1);
  const text = isLiteral ? body.join('\n') : foldBlock(body);
  if (marks.includes('-')) return text;
  if (marks.includes('+')) return text + '\n'.repeat(lines.length - Math.max(last, 0));
  return body.length === 0 ? '' : `${text}\n`;
}

/** @param inset indent of the text; undefined: that of its first line */
function takeBlockLines(cursor: YamlCursor, indent: number, inset: number | undefined): string[] {
  const { text } = cursor;
  const lines: string[] = [];
  let start = cursor.lineEnd + 1;
  while (start < text.length) {
    const end = endOfLine(text, start);
    let at = start;
    while (text[at] === ' ') at += 1;
    const isEmpty = at === end || (text[at] === '\r' && at + 1 === end);
    if (!isEmpty && (at - start < (inset ?? indent + 1) || cursor.isDocumentMarker(start))) break;
    if (!isEmpty) inset ??= at - start;
    lines.push(text.slice(Math.min(start + (inset ?? end), end), text[end - 1] === '\r' ? end - 1 : end));
    start = end + 1;
  }
  cursor.startLine(Math.min(start, text.length));
  cursor.textEnd = cursor.at;
  return lines;
}

/** Joins lines with a blank, except those that are indented further. */
function foldBlock(lines: readonly string[]): string {
  const parts: string[] = [];
  let blankLines = 0;
  let isInset = false;
  for (const line of lines) {
    if (line === '') {
      blankLines += 1;
      continue;
    }
    const wasInset = isInset;
    isInset = line.startsWith(' ') || line.startsWith('\t');
    if (parts.length === 0) parts.push('\n'.repeat(blankLines));
    else parts.push(wasInset || isInset ? '\n'.repeat(blankLines + 1) : fold(blankLines));
    parts.push(line);
    blankLines = 0;
  }
  return parts.join('');
}

function fold(blankLines: number): string {
  return blankLines === 0 ? ' ' : '\n'.repeat(blankLines);
}

/** True for a line that belongs to the parent of the text. */
function endsText(cursor: YamlCursor, lineStart: number, at: number, { indent, isFlow }: TextPlace): boolean {
  return cursor.isDocumentMarker(lineStart) || (!isFlow && at - lineStart <= indent);
}

function trimmedEnd(text: string, start: number, end: number): number {
  while (end > start && isBlankAt(text, end - 1)) end -= 1;
  return end;
}
