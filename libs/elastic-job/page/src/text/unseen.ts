/**
 * Texts of the registry, which anybody may have written. Characters that cannot be seen, or that change the order in
 * which others are read, are shown as their codes, such as `U+202E`; what is left cannot change what stands around it.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Zl}|\p{Zp}|\u034f|\u115f|\u1160|\u3164|\uffa0/gu;

/** Most characters of a title: the whole of a longer text stands elsewhere. */
const MOST_OF_A_TITLE = 2_000;

/**
 * How a text of several lines is shown. `codes`: each line feed as its code, since a name has none. `first`: an error
 * in a place of one line is its first line. `all`: an error in a place of its own keeps its lines.
 */
export type Lines = 'codes' | 'first' | 'all';

/** A part of a text: as it is, or the code of a character. */
export interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

export function piecesOf(text: string, lines: Lines = 'codes'): readonly Piece[] {
  const shown = lines === 'codes' ? text : withoutReturns(text);
  return lines === 'first' ? firstLineOf(shown) : codedOf(shown, lines === 'all' ? '\n\t' : '');
}

/** As one text, for a title, a label or a question. */
export function visibleText(text: string, lines: Lines = 'codes'): string {
  return textOf(piecesOf(text, lines));
}

/** The whole of a text of which the first line is shown. */
export function wholeText(text: string): string {
  return visibleText(text.slice(0, MOST_OF_A_TITLE), 'all').trim() + (text.length > MOST_OF_A_TITLE ? ' …' : '');
}

/** Tabs in it are spaces, and a mark says that there are more lines. */
function firstLineOf(text: string): readonly Piece[] {
  const [line = '', ...others] = text.trim().split('\n');
  const pieces = codedOf(line.replaceAll('\t', ' '), '');
  return others.length === 0 ? pieces : [...pieces, { text: ' …', isCode: false }];
}

function withoutReturns(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** @param keep characters that are shown as they are */
function codedOf(text: string, keep: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (keep.includes(character)) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), isCode: false });
    pieces.push({ text: codeOf(character), isCode: true });
    from = index + character.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isCode: false });
  return pieces;
}

function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join('');
}

function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
