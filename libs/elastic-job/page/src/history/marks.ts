/** Signs of outcomes and fates, as the map has them. Each has a sign, a colour and words. */
import type { RunOutcomeAnswer } from '../../../src/console/contract/history-answers.js';
import type { Tone } from '../parts/index.js';
import type { Fate } from './strip-layout.js';

export interface Mark {
  readonly glyph: string;
  readonly tone: Tone;
}

export const OUTCOME_MARKS: Readonly<Record<RunOutcomeAnswer, Mark>> = {
  succeeded: { glyph: '✓', tone: 'ok' },
  failed: { glyph: '!', tone: 'bad' },
  aborted: { glyph: '×', tone: 'miss' },
  fenced: { glyph: '⊘', tone: 'move' },
  running: { glyph: '▸', tone: 'run' },
  lost: { glyph: '~', tone: 'warn' },
};

export const FATE_MARKS: Readonly<Record<Fate, Mark>> = {
  done: { glyph: '✓', tone: 'ok' },
  again: { glyph: '↻', tone: 'ok' },
  failed: { glyph: '!', tone: 'bad' },
  running: { glyph: '▸', tone: 'run' },
  missed: { glyph: '∅', tone: 'miss' },
  disabled: { glyph: '–', tone: 'off' },
  unknown: { glyph: '?', tone: 'off' },
};
