import { AUDIT_OUTCOMES, type AuditEntry } from '../contract/index.js';
import type { AuditEnd } from './audit-store.js';

/** A line of a file: an entry, the end of an entry, or a key. */
export type AuditLine =
  | { readonly kind: 'entry'; readonly entry: AuditEntry; readonly key: string | undefined }
  | { readonly kind: 'end'; readonly id: string; readonly end: AuditEnd }
  | { readonly kind: 'key'; readonly key: string };

/** Characters that JSON leaves as they are, and that a terminal or a reader of lines may act on. */
const UNSEEN = /[\u007F-\u009F\u00AD\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** One line of JSON, whatever the texts in it: no text can end it, or look as if it did. */
function lineOf(value: object): string {
  const json = JSON.stringify(value);
  return `${json.replace(UNSEEN, (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

export function entryLine(entry: AuditEntry, key?: string): string {
  return lineOf(key === undefined ? entry : { ...entry, key });
}

export function endLine(id: string, end: AuditEnd): string {
  return lineOf({ ends: id, ...end });
}

export function keyLine(key: string): string {
  return lineOf({ key });
}

/** @returns undefined for a line that is none of ours, or that was cut short */
export function parseLine(text: string): AuditLine | undefined {
  const line = parsedOrNothing(text);
  if (isEnd(line)) {
    const { ends, ...end } = line;
    return { kind: 'end', id: ends, end };
  }
  if (isEntry(line)) {
    const { key, ...entry } = line;
    return { kind: 'entry', entry, key };
  }
  return isKey(line) ? { kind: 'key', key: line.key } : undefined;
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isEnd(line: unknown): line is AuditEnd & { readonly ends: string } {
  const { ends, outcome }: { readonly ends?: unknown; readonly outcome?: unknown } = Object(line);
  return typeof ends === 'string' && isOutcome(outcome);
}

function isEntry(line: unknown): line is AuditEntry & { readonly key?: string } {
  const { action, at, id, outcome, target }: Readonly<Record<string, unknown>> = Object(line);
  const isNamed = [action, at, id].every((part) => typeof part === 'string');
  return isNamed && isOutcome(outcome) && typeof target === 'object' && target !== null;
}

function isKey(line: unknown): line is { readonly key: string } {
  return typeof Reflect.get(Object(line), 'key') === 'string';
}

function isOutcome(outcome: unknown): boolean {
  return AUDIT_OUTCOMES.some((known) => known === outcome);
}
