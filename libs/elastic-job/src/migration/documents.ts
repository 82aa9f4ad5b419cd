import { readMapping, type YamlEntry, type YamlMapping, type YamlNode } from '../coordination/index.js';
import { ConfigurationError, findNodeTextFault } from '../domain/index.js';
import { type Findings, PLACE } from './findings.js';
import { type Leaf, partsOf, refuseTooMany } from './settings-tree.js';

/** The settings between two separators, `---`. */
export interface Document {
  /** The position of its start. */
  readonly at: number;
  readonly leaves: readonly Leaf[];
}

/** A document of a YAML text. */
export interface YamlDocument {
  /** The position of its start, from which those of its entries count. */
  readonly at: number;
  readonly mapping: YamlMapping;
}

/** The line between two documents. */
const DOCUMENT_SEPARATOR = /^---(?=[ \t\r\n]|$)/gm;
/** Blanks, comments, directives and separators. */
const NOTHING = /^(?:\ufeff?[ \t\r]*(?:[#%].*)?|---[ \t\r]*(?:#.*)?|\.\.\.[ \t\r]*)$/;

/**
 * The documents of a YAML text, which the findings have, without those that hold nothing.
 * @throws {ConfigurationError} with line and column, also for a key that is there twice
 */
export function readYamlDocuments(findings: Findings): readonly YamlDocument[] {
  const { placeOf, source } = findings;
  const fault = findNodeTextFault(source);
  if (fault !== undefined) throw new ConfigurationError(PLACE, [fault]);
  return textsOf(source).map(({ at, text }) => {
    const read = readMapping(text, (below) => placeOf(at + below));
    if (read.kind === 'unreadable') throw new ConfigurationError(PLACE, [read.problem]);
    refuseRepeatedKeys({ kind: 'mapping', entries: read.mapping.written }, at, findings);
    return { at, mapping: read.mapping };
  });
}

function textsOf(source: string): readonly { readonly at: number; readonly text: string }[] {
  const starts = [
    0,
    ...[...source.matchAll(DOCUMENT_SEPARATOR)].map(({ index }) => index).filter((index) => index > 0),
  ];
  const parts = starts.map((at, index) => ({ at, text: source.slice(at, starts[index + 1]) }));
  const full = parts.filter(({ text }) => !isNothing(text));
  return full.length === 0 ? [{ at: 0, text: source }] : full;
}

function isNothing(text: string): boolean {
  return text.split('\n').every((line) => NOTHING.test(line));
}

/** Refuses a key that a mapping has twice, anywhere in a document, as Spring Boot does. */
function refuseRepeatedKeys(root: YamlNode, start: number, findings: Findings): void {
  const seen = new Set<YamlNode>();
  const left = [root];
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.kind === 'list') left.push(...node.items);
    if (node.kind !== 'mapping') continue;
    const entries = new Map<string, YamlEntry>();
    for (const entry of node.entries) {
      const earlier = entries.get(entry.key);
      if (earlier !== undefined && entry.key !== '<<')
        findings.refuseTwice(`the key ${entry.key}`, start + entry.at, start + earlier.at);
      entries.set(entry.key, entry);
      left.push(entry.value);
    }
  }
  if (findings.problems.length > 0) throw new ConfigurationError(PLACE, findings.problems);
}

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
