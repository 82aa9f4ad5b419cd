/**
 * Edits that were not sent, by job. They stay when their view is left, and end with the page, which the browser asks
 * about first. Another person than before begins anew, as with the whole page.
 */
import { effect, signal } from '@preact/signals';
import type { ConfigAnswer } from '../../../src/console/contract/job-answers.js';
import { FIELDS } from './fields.js';
import { type Edits, type Raw, rawOf } from './form.js';
import { rebased } from './merge.js';

export interface Draft {
  /** The settings that it was begun from. */
  readonly base: ConfigAnswer;
  readonly edits: Edits;
  /** The reason that was typed for a change that was refused. */
  readonly reason: string;
}

const drafts = signal<ReadonlyMap<string, Draft>>(new Map());

export function draftOf(job: string): Draft | undefined {
  return drafts.value.get(job);
}

/**
 * Takes what stands in a field. One that is again as it was is no edit.
 * @param present the settings, for a first edit
 */
export function edit(present: ConfigAnswer, field: string, raw: Raw): void {
  const { base, edits, reason } = drafts.peek().get(present.job) ?? { base: present, edits: {}, reason: '' };
  const { [field]: _before, ...others } = edits;
  const isBack = JSON.stringify(raw) === JSON.stringify(rawOf(FIELDS.get(field)!, base.settings[field]));
  put(present.job, { base, edits: isBack ? others : { ...edits, [field]: raw }, reason });
}

export function discard(job: string): void {
  put(job, undefined);
}

export function keepReason(job: string, reason: string): void {
  const draft = drafts.peek().get(job);
  if (draft !== undefined) put(job, { ...draft, reason });
}

/** Goes on from the present settings. @param givenUp fields whose present values are taken */
export function goOnFrom(present: ConfigAnswer, givenUp: ReadonlySet<string>): void {
  const draft = drafts.peek().get(present.job);
  if (draft === undefined) return;
  put(present.job, { ...draft, base: present, edits: rebased(present.settings, draft.edits, givenUp) });
}

function put(job: string, draft: Draft | undefined): void {
  const next = new Map(drafts.peek());
  if (draft === undefined || Object.keys(draft.edits).length === 0) next.delete(job);
  else next.set(job, draft);
  drafts.value = next;
}

effect(() => {
  if (drafts.value.size === 0) return undefined;
  const ask = (event: BeforeUnloadEvent) => event.preventDefault();
  addEventListener('beforeunload', ask);
  return () => removeEventListener('beforeunload', ask);
});
