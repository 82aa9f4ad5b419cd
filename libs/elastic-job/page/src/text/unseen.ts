/**
 * Texts of the registry, which anybody may have written. Characters that cannot be seen, or that change the order in
 * which others are read, are shown as their codes, such as `U+202E`; what is left cannot change what stands around it.
 */
const UNSEEN = /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Zl}|\p{Zp}|\u034f|\u115f|\u1160|\u3164|\uffa0/gu;

/** A part of a text: as it is, or the code of a character. */
export interface Piece {
  readonly text: string;
  readonly isCode: boolean;
}

/** @param keep characters that are shown as they are, such as line feeds of a stack */
export function piecesOf(text: string, keep = ''): readonly Piece[] {
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

/** As one text, for a title, a label or a question. */
export function visibleText(text: string): string {
  return piecesOf(text)
    .map((piece) => piece.text)
    .join('');
}

/** The first line of an error, for a list. */
export function firstLine(text: string): string {
  return text.trimStart().split(/[\r\n]/, 1)[0]!;
}

function codeOf(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
