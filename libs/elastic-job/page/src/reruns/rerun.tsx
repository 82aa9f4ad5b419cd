/** The change that runs past fire times of a job again, and the dialog's part of it: the choice, and its preview. */
import './reruns.css';
import { computed, type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { RerunAnswer, RerunPreviewAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, type ApiProblem, change, useReading } from '../api/index.js';
import { type Change, ProblemText, TextField, useSettled } from '../parts/index.js';
import { now } from '../state/index.js';
import { HERE, nearTime, texts, visibleText } from '../text/index.js';
import { lacksFireTime } from './because.js';
import { type Draft, draftOf, judge, replaced, type RerunChoice } from './choice.js';
import { Targets } from './targets.js';
import { words } from './texts.js';

/**
 * @param items those that are chosen at first
 * @param fireTimes ISO 8601, those that are chosen at first
 * @param onDone called once it is asked for
 */
export function rerunJob(
  job: string,
  items: readonly number[],
  fireTimes: readonly string[],
  onDone?: () => void,
): Change {
  const t = words.peek().rerun;
  const draft = signal(draftOf(items, fireTimes));
  return {
    title: t.title(job),
    name: t.button,
    will: t.will,
    cannot: t.cannot,
    preview: <Choosing job={job} draft={draft} />,
    isReady: computed(() => judge(draft.value).choice !== undefined),
    remedy: (problem, settle) => <Neighbours draft={draft} problem={problem} settle={settle} />,
    field: { label: t.parameters, hint: t.parametersHint },
    look: ['jobs', job],
    ...(onDone !== undefined && { onDone }),
    send: async ({ field: parameters, reason }) => {
      const body = { ...judge(draft.peek()).choice, parameters, reason };
      const { audit, id, targets, waitsFor } = await change<RerunAnswer>('POST', pathOf(job), { body });
      if (waitsFor.length === 0) return { text: t.became(id, targets), audit };
      const text = t.becameWaiting(id, targets, waitsFor.length, waitsFor.join(', '));
      return { text, audit, isWarning: true };
    },
  };
}

function pathOf(job: string): string {
  return apiPath('jobs', job, 'reruns');
}

interface ChoosingProps {
  readonly job: string;
  readonly draft: Signal<Draft>;
}

function Choosing({ draft, job }: ChoosingProps) {
  const { rerun: t } = words.value;
  const { anyTime, fireTimes, items } = draft.value;
  const { choice, fault, line } = useMemo(() => judge(draft.value), [draft.value]);
  const { answer, isAsking, problem } = usePreview(job, choice);
  const put = (part: Partial<Draft>) => (draft.value = { ...draft.value, ...part });
  // Somebody who has yet to choose begins with that, and not with the reason.
  const isOpen = useMemo(() => fireTimes === '', []);
  const mayBeAny = anyTime || (answer?.targets.some(({ because }) => lacksFireTime(because)) ?? false);
  const isTimeFault = fault !== undefined && fault !== 'items';
  return (
    <div class="stack rerun">
      <TextField label={t.items} class="mono" value={items} onText={(text) => put({ items: text })}>
        <span class={fault === 'items' ? 'wrong' : 'hint'}>{fault === 'items' ? t.faults.items : t.itemsHint}</span>
      </TextField>
      <label class="field">
        <span>{t.fireTimes}</span>
        <textarea
          class="input mono"
          value={fireTimes}
          autofocus={isOpen}
          rows={Math.min(6, fireTimes.split('\n').length + 1)}
          onInput={(event) => put({ fireTimes: event.currentTarget.value })}
        />
        <span class={isTimeFault ? 'wrong' : 'hint'}>
          {isTimeFault ? `${t.faults[fault]} ${visibleText(line ?? '')}` : t.fireTimesHint(HERE)}
        </span>
      </label>
      {mayBeAny && (
        <label class="check">
          <input
            type="checkbox"
            checked={anyTime}
            onChange={(event) => put({ anyTime: event.currentTarget.checked })}
          />{' '}
          {t.anyTime}
        </label>
      )}
      <div>
        <h3>{t.preview}</h3>
        {problem !== undefined ? (
          <div class="told bad" role="alert">
            <ProblemText problem={problem} />
          </div>
        ) : answer !== undefined ? (
          <Targets targets={answer.targets} />
        ) : (
          <p class="faint">{isAsking ? `${t.asking} …` : '–'}</p>
        )}
        <span class="unshown" role="status">
          {isAsking && t.asking}
        </span>
      </div>
    </div>
  );
}

/** Prospects of the choice. They are asked for again once that has changed, and nobody types. */
function usePreview(job: string, choice: RerunChoice | undefined) {
  const key = choice && JSON.stringify([job, choice]);
  const settled = useSettled(key);
  const { isReading, problem, value } = useReading<RerunPreviewAnswer>(settled, () =>
    change('POST', pathOf(job), { query: { preview: 'true' }, body: choice ?? {} }),
  );
  const isOld = settled !== key || key === undefined;
  return {
    answer: isOld || problem.value !== undefined ? undefined : value.value,
    problem: isOld ? undefined : problem.value,
    isAsking: key !== undefined && (isOld || isReading.value),
  };
}

interface NeighboursProps {
  readonly draft: Signal<Draft>;
  readonly problem: ApiProblem;
  readonly settle: () => void;
}

/** After a time that the schedule lacks: the fire times beside it, or that time all the same. */
function Neighbours({ draft, problem, settle }: NeighboursProps) {
  if (problem.code !== 'NO_SUCH_FIRE_TIME') return null;
  const { rerun: t } = words.value;
  const { after = null, before = null } = problem.answer;
  const take = (next: Draft) => {
    draft.value = next;
    settle();
  };
  const nameOf = (at: string) =>
    nearTime(Date.parse(at), now.value, { locale: texts.value.locale, timeZone: HERE, withSeconds: true });
  // One that is still to come cannot run again.
  const offered = [before, after].filter((at) => at !== null && Date.parse(at) < now.value);
  return (
    <div class="remedies">
      {offered.map((at) => (
        <button
          key={at}
          type="button"
          class="btn small"
          onClick={() => take(replaced(draft.peek(), { before, after }, at!))}
        >
          {t.instead(nameOf(at!))}
        </button>
      ))}
      <button type="button" class="btn small" onClick={() => take({ ...draft.peek(), anyTime: true })}>
        {t.allTheSame}
      </button>
    </div>
  );
}
