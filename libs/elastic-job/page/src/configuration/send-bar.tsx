import type { ApiProblem } from '../api/index.js';
import { ProblemText } from '../parts/index.js';
import { Text, texts } from '../text/index.js';
import { words } from './texts.js';

/** The end of the last look at the edit. */
export type Told =
  | { readonly kind: 'checking' | 'same' }
  | { readonly kind: 'wrong'; readonly count: number }
  | { readonly kind: 'problem'; readonly problem: ApiProblem };

interface SendBarProps {
  /** Those that were edited. */
  readonly fields: readonly string[];
  readonly told: Told | undefined;
  /** Problems of which the form has no field. */
  readonly others: readonly string[];
  /** Given if somebody else has changed the settings: then that is to be looked at first. */
  readonly onCompare: (() => void) | undefined;
  readonly onDiscard: () => void;
}

/** Stays in sight while there is an edit: what was changed, and what to do with it. */
export function SendBar({ fields, onCompare, onDiscard, others, told }: SendBarProps) {
  const t = words.value;
  const isBusy = told?.kind === 'checking';
  return (
    <div class="send-bar">
      <div class="send-what">
        <strong>{t.unsent(fields.length)}</strong> <span class="mono">{fields.join(', ')}</span>
      </div>
      <div role="status">
        {onCompare !== undefined && <span class="wrong">{t.conflict.title}</span>}
        {onCompare === undefined && told !== undefined && <ToldText told={told} />}
        {others.map((text) => (
          <div class="wrong" key={text}>
            <Text>{text}</Text>
          </div>
        ))}
      </div>
      <div class="send-buttons">
        <button type="button" class="btn" onClick={onDiscard}>
          {t.discard}
        </button>
        <button
          type={onCompare === undefined ? 'submit' : 'button'}
          class="btn main"
          aria-disabled={isBusy}
          onClick={onCompare}
        >
          {onCompare !== undefined ? t.conflict.compare : isBusy ? `${t.checking} …` : t.review}
        </button>
      </div>
    </div>
  );
}

function ToldText({ told }: { readonly told: Told }) {
  const t = words.value;
  switch (told.kind) {
    case 'checking':
      return <span class="unshown">{t.checking}</span>;
    case 'same':
      return <span>{t.same}</span>;
    case 'wrong':
      return <span class="wrong">{t.isWrong(told.count)}</span>;
    case 'problem': {
      const { fields = [], requestId } = told.problem.answer;
      return (
        <span class="wrong">
          {t.refused}
          {fields.length === 0 && (
            <>
              {' · '}
              <ProblemText problem={told.problem} />
            </>
          )}
          {fields.length === 0 && requestId !== '' && (
            <span class="faint small"> {texts.value.looks.request(requestId)}</span>
          )}
        </span>
      );
    }
    default:
      return told satisfies never;
  }
}
