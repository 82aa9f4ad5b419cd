/**
 * The fire times of a job: past, missed and next, with what became of each item. Its twin is a table. What is chosen in
 * it is a place for what can be done with it.
 */
import './strip.css';
import '../job/map.css';
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { JobHistoryAnswer } from '../../../src/console/contract/history-answers.js';
import { apiPath, get, pathTo, useReading } from '../api/index.js';
import { Look, Panel } from '../parts/index.js';
import { now } from '../state/index.js';
import { HERE, nearTime, texts } from '../text/index.js';
import { queryOf } from './filters.js';
import { ReadHistory, ShownAs } from './looks.js';
import { FATE_MARKS } from './marks.js';
import { StripGrid } from './strip-grid.js';
import { FATES, NOTHING, type Selection, type Strip, stripOf } from './strip-layout.js';
import { StripTable } from './strip-table.js';
import { words } from './texts.js';

const EVERY_MS = 5_000;
/** Fire times to come that are shown. */
const NEXT = 3;

export interface StripProps {
  readonly job: string;
  /** Number of items today. */
  readonly items: number;
  /** Buttons for chosen items and fire times, such as a re-run; without it nothing is chosen. */
  readonly actions?: (selection: Selection, clear: () => void) => ComponentChildren;
}

export function FireTimes({ actions, items, job }: StripProps) {
  const { strip: t } = words.value;
  const reading = useReading<JobHistoryAnswer>(
    `history ${job}`,
    (signal) => get(apiPath('jobs', job, 'history'), { signal }),
    { everyMs: EVERY_MS },
  );
  const [isTable, setTable] = useState(false);
  const [selection, setSelection] = useState<Selection>(NOTHING);
  const answer = reading.value.value;
  const strip = useMemo(() => answer && stripOf(answer.columns, answer.next.slice(0, NEXT), items), [answer, items]);
  const past = answer?.columns.length ?? 0;
  return (
    <Panel
      title={t.title}
      beside={
        answer !== undefined && (
          <span class="dim">
            {past > 0 && `${t.about(past, (strip?.columns.length ?? 0) - past)} · `}
            {answer.cut && `${t.cut} · `}
            {HERE}
          </span>
        )
      }
      right={
        answer !== undefined && (
          <>
            <a class="dim small" href={`${pathTo('jobs', job, 'events')}${queryOf({ kind: 'missed' })}`}>
              {t.missed}
            </a>
            <ShownAs label={t.show} picture={t.asStrip} table={t.asTable} isTable={isTable} onChange={setTable} />
          </>
        )
      }
    >
      <ReadHistory of={reading} lines={3}>
        {() =>
          strip === undefined || strip.columns.length === 0 ? (
            <Look title={t.none} more={t.noneMore} />
          ) : (
            <>
              <Legend strip={strip} />
              {isTable ? (
                <StripTable job={job} strip={strip} />
              ) : (
                <StripGrid
                  job={job}
                  strip={strip}
                  selection={selection}
                  choose={actions === undefined ? undefined : setSelection}
                />
              )}
              {actions !== undefined && (
                <Chosen selection={selection} clear={() => setSelection(NOTHING)} actions={actions} />
              )}
              <NotExpected answer={answer!} />
            </>
          )
        }
      </ReadHistory>
    </Panel>
  );
}

/** The signs that the strip has, with their words. */
function Legend({ strip }: { readonly strip: Strip }) {
  const { fates } = words.value;
  return (
    <div class="legend strip-legend">
      {FATES.filter((fate) => strip.columns.some(({ counts }) => counts.has(fate))).map((fate) => (
        <span key={fate} title={fates[fate].means}>
          <i class={`mark ${FATE_MARKS[fate].tone} ${fate}`} aria-hidden="true">
            {FATE_MARKS[fate].glyph}
          </i>
          {fates[fate].name}
        </span>
      ))}
    </div>
  );
}

interface ChosenProps {
  readonly selection: Selection;
  readonly clear: () => void;
  readonly actions: NonNullable<StripProps['actions']>;
}

function Chosen({ actions, clear, selection }: ChosenProps) {
  const { strip: t } = words.value;
  const { fireTimes, items } = selection;
  return (
    <div class="strip-chosen" role="status">
      {items.length > 0 && (
        <>
          <span>{t.chosen(items.length, fireTimes.length)}</span>
          {actions(selection, clear)}
          <button type="button" class="btn small bare" onClick={clear}>
            {t.clear}
          </button>
        </>
      )}
    </div>
  );
}

/** Says before which instant the schedule is not known, if the strip reaches so far. */
function NotExpected({ answer: { columns, expectedFrom } }: { readonly answer: JobHistoryAnswer }) {
  const [first] = columns;
  if (first === undefined || first.fireTime >= expectedFrom) return null;
  const { locale } = texts.value;
  const time = nearTime(Date.parse(expectedFrom), now.value, { locale, timeZone: HERE, withSeconds: true });
  return <p class="faint small strip-note">{words.value.strip.expectedFrom(time)}</p>;
}
