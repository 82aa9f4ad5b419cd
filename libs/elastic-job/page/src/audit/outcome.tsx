import type { AuditOutcome } from '../../../src/console/contract/answers.js';
import { Tag, type Tone } from '../parts/index.js';
import { texts } from '../text/index.js';

const LOOKS: Readonly<Record<AuditOutcome, { readonly tone: Tone; readonly glyph: string }>> = {
  intended: { tone: 'run', glyph: '▸' },
  done: { tone: 'ok', glyph: '✓' },
  refused: { tone: 'off', glyph: '⊘' },
  failed: { tone: 'bad', glyph: '✕' },
  unknown: { tone: 'warn', glyph: '?' },
};

/** How a change has ended: by shape, colour and word. */
export function Outcome({ outcome }: { readonly outcome: AuditOutcome }) {
  const { glyph, tone } = LOOKS[outcome];
  return (
    <Tag tone={tone}>
      <span aria-hidden="true">{glyph}</span>
      {texts.value.outcomes[outcome]}
    </Tag>
  );
}
