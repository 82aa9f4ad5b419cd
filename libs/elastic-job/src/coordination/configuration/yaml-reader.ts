import {
  isBlankAt,
  isFlowIndicatorAt,
  NOTHING,
  YamlCursor,
  type YamlEntry,
  YamlFault,
  type YamlNode,
} from './yaml-cursor.js';
import { keyOf, NO_PROPERTIES, type Properties, readFlowNode, scalar, takeProperties } from './yaml-flow.js';
import { assertBeginsPlain, readBlock, readQuoted } from './yaml-text.js';

/** Content of a text, or its first fault. */
type ReadYaml =
  | { readonly kind: 'read'; readonly node: YamlNode }
  | { readonly kind: 'fault'; readonly at: number; readonly problem: string };

/** Position of a node relative to its parent. */
interface Place {
  /** Column of the parent. */
  readonly indent: number;
  /** True if a list may have the column of its key. */
  readonly isValueOfKey: boolean;
  /** True if a list or mapping may begin in the same line, as after `- `. */
  readonly isCompact: boolean;
}

const HASH = 0x23;
const COLON = 0x3a;
const QUOTED_KEY = /(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\n]|'')*')[ \t\r]*:(?=[ \t\r\n]|$)/y;

/**
 * Reads a YAML text of one document: block and flow style, every form of text, anchors and aliases. No types are
 * guessed: a scalar stays a text. Tags other than `!!binary` are skipped. A key is a text.
 *
 * The time is proportional to the length of the text, whatever it contains, since a node must not be able to block the
 * event loop. Libraries that read all of YAML took from 0.3 to some seconds for 256 KB.
 */
export function readYaml(text: string): ReadYaml {
  try {
    return { kind: 'read', node: readDocument(new YamlCursor(text)) };
  } catch (error) {
    if (error instanceof YamlFault) return { kind: 'fault', at: error.at, problem: error.message };
    throw error;
  }
}

function readDocument(cursor: YamlCursor): YamlNode {
  if (cursor.char === '\ufeff') cursor.startLine(1);
  cursor.skipToContent();
  while (cursor.char === '%' && cursor.column === 0) {
    cursor.at = cursor.lineEnd;
    cursor.skipToContent();
  }
  const hasStart = cursor.isMarker('---') && cursor.isDocumentMarker();
  if (hasStart) cursor.at += 3;
  const node = readNode(cursor, { indent: -1, isValueOfKey: false, isCompact: !hasStart });
  cursor.skipToContent();
  if (cursor.isMarker('...') && cursor.isDocumentMarker()) {
    cursor.at += 3;
    cursor.skipToContent();
  }
  if (!cursor.isAtEnd)
    cursor.fail(cursor.isDocumentMarker() ? 'it has several documents' : 'there is text after the end of the document');
  return node;
}

function readNode(cursor: YamlCursor, place: Place): YamlNode {
  let { isCompact } = place;
  cursor.countNode();
  let properties = NO_PROPERTIES;
  cursor.skipBlanks();
  let { column } = cursor;
  for (;;) {
    properties = takeProperties(cursor, properties);
    if (!cursor.isLineDone()) break;
    const end = cursor.at;
    cursor.skipToContent();
    if (!belongs(cursor, place)) {
      cursor.textEnd = end;
      return cursor.remember(properties.anchor, NOTHING);
    }
    isCompact = true;
    ({ column } = cursor);
  }
  if (isCompact && cursor.isMarker('-')) return cursor.remember(properties.anchor, readList(cursor));
  const isKeyNext = isCompact && (cursor.isMarker('?') || colonOf(cursor) !== undefined);
  // In the line of a key, tag and anchor belong to the key.
  if (isKeyNext && column !== cursor.column) return readMapping(cursor, column, properties.anchor);
  if (isKeyNext) return cursor.remember(properties.anchor, readMapping(cursor, column));
  return cursor.remember(properties.anchor, readInline(cursor, place.indent, properties));
}

/** True if the next token is the value of what precedes it. */
function belongs(cursor: YamlCursor, { indent, isValueOfKey }: Place): boolean {
  if (cursor.isAtEnd || cursor.isDocumentMarker()) return false;
  return cursor.column > indent || (isValueOfKey && cursor.column === indent && cursor.isMarker('-'));
}

/** Reads a node that is not a list or mapping on lines of its own. */
function readInline(cursor: YamlCursor, indent: number, { tag }: Properties): YamlNode {
  const { char } = cursor;
  if (char === '|' || char === '>') return scalar(readBlock(cursor, indent), false, tag);
  const node = readFlowNode(cursor, { indent, isFlow: false }, tag);
  if (!cursor.isLineDone()) cursor.fail('there is text after the end of a value');
  return node;
}

function readList(cursor: YamlCursor): YamlNode {
  const items: YamlNode[] = [];
  const { column } = cursor;
  const place: Place = { indent: column, isValueOfKey: false, isCompact: true };
  cursor.enter();
  do {
    cursor.at += 1;
    items.push(readNode(cursor, place));
  } while (goesOn(cursor, column) && cursor.isMarker('-'));
  cursor.leave();
  return { kind: 'list', items };
}

/** @param keyAnchor anchor of its first key, which follows it */
function readMapping(cursor: YamlCursor, column: number, keyAnchor?: string): YamlNode {
  const entries: YamlEntry[] = [];
  const place: Place = { indent: column, isValueOfKey: true, isCompact: false };
  let anchor = keyAnchor;
  cursor.enter();
  do {
    // Every entry begins in this column, with or without a tag or an anchor.
    const at = cursor.at - (cursor.column - column);
    entries.push(cursor.isMarker('?') ? readExplicitEntry(cursor, column) : readEntry(cursor, place, at, anchor));
    anchor = undefined;
  } while (goesOn(cursor, column));
  cursor.leave();
  return { kind: 'mapping', entries };
}

/** True if the next line begins in this column. */
function goesOn(cursor: YamlCursor, column: number): boolean {
  cursor.skipToContent();
  if (cursor.isAtEnd || cursor.isDocumentMarker() || cursor.column < column) return false;
  if (cursor.column > column) cursor.fail('a line is indented differently from those before it');
  return true;
}

/** @param at start of its line, including tag and anchor of the key */
function readEntry(cursor: YamlCursor, place: Place, at: number, keyAnchor: string | undefined): YamlEntry {
  cursor.countNode();
  const anchor = keyAnchor ?? takeProperties(cursor, NO_PROPERTIES).anchor;
  const colon = colonOf(cursor) ?? cursor.fail('a key followed by a colon is missing');
  const key = takeKey(cursor, colon);
  if (anchor !== undefined) cursor.remember(anchor, { kind: 'scalar', text: key, isPlain: false });
  const keyEnd = cursor.textEnd;
  cursor.at = colon + 1;
  const value = readNode(cursor, place);
  return { key, value, at, keyEnd, valueEnd: cursor.textEnd, isFlow: false };
}

/** Reads `? key`, with the value on a line of its own. */
function readExplicitEntry(cursor: YamlCursor, column: number): YamlEntry {
  cursor.at += 1;
  cursor.skipBlanks();
  const { at } = cursor;
  const key = keyOf(cursor, readNode(cursor, { indent: column, isValueOfKey: false, isCompact: true }), at);
  const keyEnd = cursor.textEnd;
  cursor.skipToContent();
  const hasValue = cursor.column === column && cursor.isMarker(':');
  if (hasValue) cursor.at += 1;
  const value = hasValue ? readNode(cursor, { indent: column, isValueOfKey: true, isCompact: true }) : NOTHING;
  return { key, value, at, keyEnd, valueEnd: cursor.textEnd, isFlow: false };
}

function takeKey(cursor: YamlCursor, colon: number): string {
  if (cursor.char === '"' || cursor.char === "'") return readQuoted(cursor, { indent: -1, isFlow: false });
  assertBeginsPlain(cursor);
  let end = colon;
  // Other blanks, such as a non-breaking one, belong to the key.
  while (isBlankAt(cursor.text, end - 1)) end -= 1;
  cursor.textEnd = end;
  return cursor.text.slice(cursor.at, end);
}

/** Position of the colon after a key; undefined if the rest of the line does not begin with a key. */
function colonOf(cursor: YamlCursor): number | undefined {
  const { at, char, text, lineEnd } = cursor;
  if (char === '"' || char === "'") {
    QUOTED_KEY.lastIndex = at;
    return QUOTED_KEY.test(text) ? QUOTED_KEY.lastIndex - 1 : undefined;
  }
  if (isFlowIndicatorAt(text, at) || char === '*' || char === '|' || char === '>') return undefined;
  for (let colon = at; colon < lineEnd; colon += 1) {
    const code = text.charCodeAt(colon);
    if (code === HASH && isBlankAt(text, colon - 1)) return undefined;
    if (code === COLON && isBlankAt(text, colon + 1)) return colon;
  }
  return undefined;
}
