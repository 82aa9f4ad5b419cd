import type { YamlCursor } from './yaml-cursor.js';
import type { YamlNode } from './yaml-node.js';

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
