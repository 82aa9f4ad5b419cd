import { ConfigurationError } from '../domain/index.js';
import type { Document } from './documents.js';
import { type Findings, PLACE } from './findings.js';
import { type Leaf, partsOf, refuseTooMany } from './settings-tree.js';

/** A logical line: it goes on behind a backslash. Comments begin with `#` or `!`. */
const LINE = /^[ \t\f]*(?<line>[#!][^\r\n]*|(?:[^\\\r\n]|\\(?:\r\n|[^])?)*)$/gm;
const KEY = /^(?:[^\\=: \t\f]|\\[^])*/;
const SEPARATOR = /^[ \t\f]*[=:]?[ \t\f]*/;
const NEXT_DOCUMENT = /^[#!]---\s*$/;
const ESCAPE = /\\(?:u(?<code>[\da-fA-F]{4})|(?:\r\n|[\r\n])[ \t\f]*|(?<char>[^]))/g;
const CONTROLS: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

/**
 * The documents of a `.properties` file, whose text the findings have.
 * @throws {ConfigurationError} with line and column
 * @see Java, `java.util.Properties.load`
 */
export function readProperties(findings: Findings): readonly Document[] {
  let leaves: Leaf[] = [];
  let before = 0;
  const documents: Document[] = [{ at: 0, leaves }];
  for (const match of findings.source.matchAll(LINE)) {
    const line = match.groups!['line']!;
    const at = match.index + match[0].length - line.length;
    if (NEXT_DOCUMENT.test(line)) {
      before += leaves.length;
      documents.push({ at, leaves: (leaves = []) });
    }
    if (line === '' || /^[#!]/.test(line)) continue;
    const key = KEY.exec(line)![0];
    const separator = SEPARATOR.exec(line.slice(key.length))![0];
    const valueAt = key.length + separator.length;
    const path = partsOf(unescaped(findings, key, at));
    refuseTooMany(before + leaves.length);
    leaves.push({ path, text: unescaped(findings, line.slice(valueAt), at + valueAt), at });
  }
  return documents.filter((document, index) => index === 0 || document.leaves.length > 0);
}

function unescaped(findings: Findings, part: string, at: number): string {
  return part.replaceAll(ESCAPE, (escape, ...rest) => {
    const { code, char }: Record<string, string | undefined> = rest.at(-1);
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    if (char === 'u') refuse(findings, at + Number(rest.at(-3)), String.raw`behind \u stand four hexadecimal digits`);
    return char === undefined ? '' : (CONTROLS[char] ?? char);
  });
}

function refuse(findings: Findings, at: number, fault: string): never {
  throw new ConfigurationError(PLACE, [`${findings.placeOf(at)}: ${fault}`]);
}
