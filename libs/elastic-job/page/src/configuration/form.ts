/**
 * The form as texts that somebody types, and the settings as the API has them. An empty field is `null`, which means
 * the default, unless an empty text is a value of it. `hidden` comes back as it was, and means: as it is.
 */
import { findQuartzOfUnix } from '../../../src/domain/schedule/unix-cron.js';
import { type Field, FIELDS } from './fields.js';

export const HIDDEN = 'hidden';

/** A row of the props. `key` stays while its name is typed. */
export interface PropRow {
  readonly key: number;
  readonly name: string;
  readonly value: string;
  /** One that the settings do not have. It has no value that could stay. */
  readonly isNew: boolean;
}

/** Content of a field. */
export type Raw = string | boolean | readonly PropRow[];
/** Content of the fields that somebody has touched. */
export type Edits = Readonly<Record<string, Raw>>;
export type Settings = Readonly<Record<string, unknown>>;

/** Why what stands in a field is no value of it. */
export type Fault =
  | { readonly kind: 'number'; readonly from: number; readonly to: number; readonly isWhole: boolean }
  | { readonly kind: 'size' }
  | { readonly kind: 'noName' | 'reserved' | 'nothingHidden' }
  | { readonly kind: 'twice'; readonly name: string };

export type ReadValue = { readonly value: unknown } | { readonly fault: Fault };

/** A value of a setting as its field shows it. */
export function rawOf({ kind }: Field, value: unknown): Raw {
  if (kind === 'flag') return value === true;
  if (kind === 'names') return Array.isArray(value) ? value.join(', ') : '';
  if (kind === 'props') {
    return Object.entries(Object(value)).map(([name, text], key) => ({ key, name, value: String(text), isNew: false }));
  }
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** The content of a field as the API takes it. */
export function valueOf(field: Field, raw: Raw): ReadValue {
  if (typeof raw === 'boolean') return { value: raw };
  if (typeof raw !== 'string') return propsOf(raw);
  const text = raw.trim();
  if (field.kind === 'number') return numberOf(field, text);
  if (field.kind === 'size') return sizeOf(field, text);
  if (field.kind === 'names') return { value: namesOf(text) };
  if (field.name === 'cron') return { value: text === '' ? null : (quartzOf(text) ?? text) };
  if (text === '' && field.mayBeNone === true) return { value: null };
  return { value: field.kind === 'lines' ? raw : text };
}

/** A Unix cron as Quartz writes it; undefined for any other text. One of Quartz has a `?`, which Unix never has. */
export function quartzOf(text: string): string | undefined {
  return text.includes('?') ? undefined : findQuartzOfUnix(text);
}

export interface FormChanges {
  /** New values of the settings that differ. */
  readonly settings: Settings;
  readonly faults: ReadonlyMap<string, Fault>;
}

/** Finds what the touched fields change of the settings. */
export function changesOf(base: Settings, edits: Edits): FormChanges {
  const settings: Record<string, unknown> = {};
  const faults = new Map<string, Fault>();
  for (const [name, raw] of Object.entries(edits)) {
    const field = FIELDS.get(name);
    if (field === undefined) continue;
    const read = valueOf(field, raw);
    if ('fault' in read) faults.set(name, read.fault);
    else if (!isSame(read.value, base[name])) settings[name] = read.value;
  }
  return { settings, faults };
}

/** True for equal values of a setting. The order of props means nothing. */
export function isSame(one: unknown, other: unknown): boolean {
  return textOf(one) === textOf(other);
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value ?? null);
  return JSON.stringify(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function numberOf({ from = 0, isWhole = false, to = 0 }: Field, text: string): ReadValue {
  if (text === '') return { value: null };
  const value = Number(text);
  const isRight = value >= from && value <= to && (!isWhole || Number.isInteger(value));
  return isRight ? { value } : { fault: { kind: 'number', from, to, isWhole } };
}

function sizeOf({ from = 1, to = 1 }: Field, text: string): ReadValue {
  if (text === '') return { value: null };
  const word = text.toUpperCase();
  if (word === 'CPU' || word === 'SINGLE_THREAD') return { value: word };
  const value = Number(text);
  return Number.isInteger(value) && value >= from && value <= to ? { value } : { fault: { kind: 'size' } };
}

function namesOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function propsOf(rows: readonly PropRow[]): ReadValue {
  const names = rows.map(({ name }) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (names.includes('')) return { fault: { kind: 'noName' } };
  if (twice !== undefined) return { fault: { kind: 'twice', name: twice } };
  if (rows.some(({ isNew, value }) => isNew && value === HIDDEN)) return { fault: { kind: 'nothingHidden' } };
  if (names.some((name) => name.startsWith('nestjs.'))) return { fault: { kind: 'reserved' } };
  return { value: Object.fromEntries(rows.map(({ value }, index) => [names[index]!, value])) };
}
