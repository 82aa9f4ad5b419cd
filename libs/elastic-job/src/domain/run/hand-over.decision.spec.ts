import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LeftJobError } from '../errors.js';
import { redactThrown } from '../handlers/index.js';
import { beginsWithHandOver, handOverOf } from './hand-over.decision.js';
import {
  CancelledError,
  DrainDeadlineError,
  HandedOverError,
  HandlerHungError,
  InstanceRemovedError,
  JobTimeoutError,
  LeaseLostError,
  ResidentStoppedError,
  SuspendedTooLongError,
  TaskTerminatedError,
} from './lease.errors.js';

const MOVED = new HandedOverError('j', 'moved');

/** Each reason of an aborted signal, with the word for it. */
const REASONS: readonly (readonly [Error, string | undefined])[] = [
  [MOVED, 'moved'],
  [new HandedOverError('j', 'leaving'), 'leaving'],
  [new HandedOverError('j', 'suspended'), undefined],
  [new ResidentStoppedError('j', 0, 'moved'), 'moved'],
  [new ResidentStoppedError('j', 0, 'disabled'), 'disabled'],
  [new ResidentStoppedError('j', 0, 'leaving'), 'leaving'],
  [new ResidentStoppedError('j', 0, 'settings'), undefined],
  [new DrainDeadlineError('j', 1), 'leaving'],
  [new InstanceRemovedError('j', 'i', 1), 'leaving'],
  [new LeftJobError('j'), 'leaving'],
  [new JobTimeoutError('j', 0, 1), undefined],
  [new CancelledError('j', 0), undefined],
  [new SuspendedTooLongError('j', 1), undefined],
  [new LeaseLostError('j', 0), undefined],
  [new TaskTerminatedError('j', 0), undefined],
  [new HandlerHungError('j', 0, 1, { cause: MOVED }), undefined],
];

it.each(REASONS)('tells from the reason why a run was handed over, if it was: %s', (reason, word) => {
  expect(handOverOf(reason)).toBe(word);
  expect(handOverOf(redactThrown(reason, (text) => text.replaceAll('j', '***')))).toBe(word);
});

it.each([undefined, 'moved', new Error('moved'), { why: 'moved' }])('is not misled by %j', (reason) => {
  expect(handOverOf(reason)).toBeUndefined();
});

it.each([
  ['moved: the item belongs to another instance', true],
  ['leaving: the process drains', true],
  ['disabled: by an operator', true],
  ['moved', false],
  ['Error: moved:', false],
  ['', false],
])('begins the text of a run that was handed over: %j', (text, isOne) => {
  expect(beginsWithHandOver(text)).toBe(isOne);
});

it.each([
  ['moved', 'it belongs to another instance now'],
  ['disabled', 'an operator has disabled it here'],
  ['leaving', 'this instance leaves the job'],
  ['settings', 'the settings of the job have changed'],
] as const)('says why an item of a resident job has to end: %s', (why, told) => {
  expect(new ResidentStoppedError('j', 3, why).message).toBe(
    `Item 3 of the resident job "j" has to end here: ${told}.`,
  );
});

it('is what the table of docs/promises.md says of each reason', () => {
  const rows = readFileSync('docs/promises.md', 'utf8').matchAll(/^\| `(\w+Error)` .* \| ([^|]+) \|$/gm);
  const told = new Map(
    [...rows].map(([, name, text = '']) => [name, [...text.matchAll(/`(\w+):`/g)].map(([, w]) => w)]),
  );

  expect(told.size).toBe(8);
  for (const [name, words] of told) {
    const own = REASONS.filter(([reason]) => reason.name === name).flatMap(([, word]) => word ?? []);
    expect({ name, words: new Set(words) }).toEqual({ name, words: new Set(own) });
  }
});
