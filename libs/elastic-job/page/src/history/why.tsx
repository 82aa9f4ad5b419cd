import './why.css';
import type { WhyAnswer, WhyMove } from '../../../src/console/contract/history-answers.js';
import { apiPath, get, useReading } from '../api/index.js';
import { ProblemText, Time } from '../parts/index.js';
import { language, Text, visibleText } from '../text/index.js';
import { isNoHistory, Stale } from './looks.js';
import { words } from './texts.js';

const EVERY_MS = 10_000;

const TONES: Readonly<Record<string, string>> = {
  orphaned: 'bad',
  'executor-died': 'bad',
  'failover-overflow': 'bad',
  resharded: 'move',
  claimed: 'move',
  'task-adopted': 'move',
};

/** Why an item is where it is: its last moves. Nothing where there is no history. */
export function Why({ item, job }: { readonly job: string; readonly item: number }) {
  const { kinds, why: t } = words.value;
  const reading = useReading<WhyAnswer>(
    `why ${item} ${job}`,
    (signal) => get(apiPath('jobs', job, 'items', item, 'why'), { signal }),
    { everyMs: EVERY_MS },
  );
  const answer = reading.value.value;
  const problem = reading.problem.value;
  if (answer === undefined && (problem === undefined || isNoHistory(problem))) return null;
  return (
    <section class="why-section" aria-label={t.title}>
      <h3>{t.title}</h3>
      {problem !== undefined && (
        <p class="dim">
          <ProblemText problem={problem} />
        </p>
      )}
      {answer?.stale === true && <Stale />}
      {answer !== undefined && answer.text !== '' && (
        // The API says it in English.
        <p lang={language.value === 'en' ? undefined : 'en'}>
          <Text lines="all">{answer.text}</Text>
        </p>
      )}
      {answer !== undefined && answer.moves.length === 0 && answer.text === '' && <p class="dim">{t.none}</p>}
      <ul class="why">
        {answer?.moves.map((move) => (
          <li key={`${move.at} ${move.kind}`} class={TONES[move.kind] ?? ''}>
            <span class="faint">
              <Time at={move.at} withSeconds />
            </span>
            <i aria-hidden="true" />
            <span lang="en" title={titleOf(move, kinds[move.kind])}>
              <Text>{move.text}</Text>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function titleOf({ cause, instance, token }: WhyMove, kind: string | undefined): string {
  return [kind, cause, instance, token].flatMap((text) => (text == null ? [] : visibleText(text))).join(' · ');
}
