/** Brings an edit together with the present settings when somebody else has changed them meanwhile. */
import { FIELDS } from './fields.js';
import { changesOf, type Edits, isSame, type Settings } from './form.js';

/** A field that somebody else has changed. */
export interface Meeting {
  readonly field: string;
  /** The value that the edit was begun from. */
  readonly base: unknown;
  readonly theirs: unknown;
  /** Undefined: the edit leaves the field as it was. */
  readonly mine: { readonly value: unknown } | undefined;
  /** True if somebody has to choose. */
  readonly isContested: boolean;
}

/** The fields in which the present settings differ from those that an edit was begun from. */
export function meetingsOf(base: Settings, theirs: Settings, edits: Edits): readonly Meeting[] {
  const { faults, settings: mine } = changesOf(base, edits);
  return [...FIELDS.keys()].flatMap((field) => {
    if (isSame(base[field], theirs[field])) return [];
    const isMine = Object.hasOwn(mine, field) || faults.has(field);
    const value = faults.has(field) ? edits[field] : mine[field];
    const isContested = isMine && !isSame(value, theirs[field]);
    return [{ field, base: base[field], theirs: theirs[field], mine: isMine ? { value } : undefined, isContested }];
  });
}

/** The edit as it goes on from the present settings: without what they have already, and what is given up to them. */
export function rebased(theirs: Settings, edits: Edits, givenUp: ReadonlySet<string>): Edits {
  const { faults, settings } = changesOf(theirs, edits);
  const kept = Object.entries(edits).filter(
    ([name]) => !givenUp.has(name) && (faults.has(name) || Object.hasOwn(settings, name)),
  );
  return Object.fromEntries(kept);
}
