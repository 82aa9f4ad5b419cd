import { NOTHING, type YamlCursor, type YamlEntry, type YamlNode } from './yaml-cursor.js';
import { readPlain, readQuoted, type TextPlace } from './yaml-text.js';

const IN_BRACKETS: TextPlace = { indent: -1, isFlow: true };

/** Reads a node in flow style: a list or mapping in brackets, or a text or an alias. */
export function readFlowNode(cursor: YamlCursor, place: TextPlace, tag?: string): YamlNode {
  switch (cursor.char) {
    case '[':
      return readFlowList(cursor);
    case '{':
      return readFlowMapping(cursor);
    case '*': {
      const node = cursor.takeAlias();
      cursor.textEnd = cursor.at;
      return node;
    }
    case '"':
    case "'":
      return scalar(readQuoted(cursor, place), false, tag);
    default:
      return scalar(readPlain(cursor, place), true, tag);
  }
}

function readFlowList(cursor: YamlCursor): YamlNode {
  const items: YamlNode[] = [];
  const start = openBracket(cursor);
  while (!closesBracket(cursor, ']', start)) {
    const { at } = cursor;
    const item = readFlowItem(cursor);
    cursor.skipToContent(true);
    const isPair = cursor.char === ':';
    items.push(isPair ? { kind: 'mapping', entries: [takeFlowEntry(cursor, item, at)] } : item);
    passComma(cursor, ']');
  }
  return { kind: 'list', items };
}

function readFlowMapping(cursor: YamlCursor): YamlNode {
  const entries: YamlEntry[] = [];
  const start = openBracket(cursor);
  while (!closesBracket(cursor, '}', start)) {
    const { at } = cursor;
    entries.push(takeFlowEntry(cursor, readFlowItem(cursor), at));
    passComma(cursor, '}');
  }
  return { kind: 'mapping', entries };
}

/** @returns position of the bracket */
function openBracket(cursor: YamlCursor): number {
  cursor.enter();
  cursor.at += 1;
  return cursor.at - 1;
}

/** @param start position of the opening bracket */
function closesBracket(cursor: YamlCursor, bracket: ']' | '}', start: number): boolean {
  cursor.skipToContent(true);
  if (cursor.isAtEnd || cursor.isDocumentMarker()) cursor.fail(`"${bracket}" is missing`, start);
  const isClosed = cursor.char === bracket;
  if (isClosed) {
    cursor.leave();
    cursor.at += 1;
    cursor.textEnd = cursor.at;
  } else if (cursor.isMarker('?')) {
    cursor.at += 1;
    cursor.skipToContent(true);
  }
  return isClosed;
}

function passComma(cursor: YamlCursor, bracket: ']' | '}'): void {
  cursor.skipToContent(true);
  if (cursor.char === ',') cursor.at += 1;
  else if (cursor.char !== bracket) cursor.fail(`"," or "${bracket}" is missing`);
}

function takeFlowEntry(cursor: YamlCursor, keyNode: YamlNode, at: number): YamlEntry {
  const key = keyOf(cursor, keyNode, at);
  const keyEnd = cursor.textEnd;
  cursor.skipToContent(true);
  let value = NOTHING;
  if (cursor.char === ':') {
    cursor.at += 1;
    cursor.textEnd = cursor.at;
    cursor.skipToContent(true);
    value = readFlowItem(cursor);
  }
  return { key, value, at, keyEnd, valueEnd: cursor.textEnd, isFlow: true };
}

/** Returns an empty node if only the end of the item follows. */
function readFlowItem(cursor: YamlCursor): YamlNode {
  cursor.countNode();
  const properties = takeProperties(cursor, NO_PROPERTIES);
  cursor.skipToContent(true);
  const { char } = cursor;
  const isNothing = char === ',' || char === ']' || char === '}';
  const node = isNothing ? NOTHING : readFlowNode(cursor, IN_BRACKETS, properties.tag);
  return cursor.remember(properties.anchor, node);
}

/** @param at position of the key */
export function keyOf(cursor: YamlCursor, node: YamlNode, at: number): string {
  return node.kind === 'scalar' ? node.text : cursor.fail('a key must be a text', at);
}

/** Tag and anchor before a node. */
export interface Properties {
  readonly tag?: string;
  readonly anchor?: string;
}

export const NO_PROPERTIES: Properties = {};
const IS_BINARY = /^!(?:!binary|<tag:yaml\.org,2002:binary>)$/;

/** Reads tags and anchors up to the node. @param before those of earlier lines */
export function takeProperties(cursor: YamlCursor, before: Properties): Properties {
  let { tag, anchor } = before;
  for (let isAny = false; ; isAny = true) {
    const { char } = cursor;
    if (char !== '&' && char !== '!') return isAny ? { tag, anchor } : before;
    const word = cursor.takeWord();
    if ((char === '&' ? anchor : tag) !== undefined) cursor.fail('a node has two tags or two anchors');
    if (char === '&') anchor = word.slice(1);
    else tag = word;
    cursor.textEnd = cursor.at;
    cursor.skipBlanks();
  }
}

/** Applies the tag of a text: `!!binary` is decoded. */
export function scalar(text: string, isPlain: boolean, tag: string | undefined): YamlNode {
  // snakeyaml writes a text with control characters this way.
  const isBinary = tag !== undefined && IS_BINARY.test(tag);
  return { kind: 'scalar', text: isBinary ? Buffer.from(text, 'base64').toString('utf8') : text, isPlain };
}
