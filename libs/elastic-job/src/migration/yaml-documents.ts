import { ConfigurationError, findNodeTextFault } from '../domain/index.js';
import { readMapping, type YamlEntry, type YamlMapping, type YamlNode } from '../coordination/index.js';
import { type Findings, PLACE } from './findings.js';

/** A document of a YAML text. */
export interface YamlDocument {
  /** The position of its start, from which those of its entries count. */
  readonly at: number;
  readonly mapping: YamlMapping;
}

/** The line between two documents. */
const SEPARATOR = /^---(?=[ \t\r\n]|$)/gm;
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
  return partsOf(source).map(({ at, text }) => {
    const read = readMapping(text, (below) => placeOf(at + below));
    if (read.kind === 'unreadable') throw new ConfigurationError(PLACE, [read.problem]);
    refuseRepeatedKeys({ kind: 'mapping', entries: read.mapping.written }, at, findings);
    return { at, mapping: read.mapping };
  });
}

function partsOf(source: string): readonly { readonly at: number; readonly text: string }[] {
  const starts = [0, ...[...source.matchAll(SEPARATOR)].map(({ index }) => index).filter((index) => index > 0)];
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
