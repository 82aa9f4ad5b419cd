/** The history at a glance, for the overview: runs of the last hours, and what was told lately that is not usual. */
import './charts.css';
import './history.css';
import { useRef, useState } from 'preact/hooks';
import type { AlarmAnswer, OverviewHistory } from '../../../src/console/contract/history-answers.js';
import { pathTo } from '../api/index.js';
import { Look, Panel, Time, useHeld } from '../parts/index.js';
import { minute } from '../state/index.js';
import { HERE, nearTime, number, roundSpan, Text, texts } from '../text/index.js';
import { Kind } from './event-columns.js';
import { queryOf } from './filters.js';
import { ShownAs, Stale } from './looks.js';
import { countAt, type RunCounts, stacksOf } from './stacks.js';
import { words } from './texts.js';
import { useWidth } from './width.js';

const HEIGHT = 118;
const BASE_LINE = 96;
const OUTCOMES = ['succeeded', 'failed', 'aborted'] as const;

export function Glance({ history }: { readonly history: OverviewHistory }) {
  return (
    <div class="stack">
      <Runs history={history} />
      <Alarms history={history} />
    </div>
  );
}

function Runs({ history: { runs, stale } }: { readonly history: OverviewHistory }) {
  const { charts: t } = words.value;
  const { locale, units } = texts.value;
  const [isTable, setTable] = useState(false);
  const [first] = runs;
  const total = (outcome: (typeof OUTCOMES)[number]) => countAt(runs, outcome);
  const isEmpty = OUTCOMES.every((outcome) => total(outcome) === 0);
  return (
    <Panel
      title={t.outcomes}
      beside={
        first !== undefined && (
          <span class="dim">
            {t.hours(12)}, {t.each(roundSpan(Date.parse(first.to) - Date.parse(first.from), units))} · {HERE}
          </span>
        )
      }
      right={
        <>
          <span class="chart-legend">
            {OUTCOMES.map((outcome) => (
              <span key={outcome}>
                <i class={outcome} aria-hidden="true" />
                {number(total(outcome), locale)} {t.counts[outcome]}
              </span>
            ))}
          </span>
          <ShownAs label={t.show} picture={t.asChart} table={t.asTable} isTable={isTable} onChange={setTable} />
        </>
      }
    >
      {stale && <Stale />}
      {isEmpty ? <Look title={t.noRuns} /> : isTable ? <RunsTable runs={runs} /> : <RunsPicture runs={runs} />}
    </Panel>
  );
}

function RunsPicture({ runs }: { readonly runs: readonly RunCounts[] }) {
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  const { charts: t } = words.value;
  const { locale } = texts.value;
  const nameOf = (at: string) => nearTime(Date.parse(at), minute.value, { locale, timeZone: HERE });
  const [first, last] = [runs[0], runs.at(-1)];
  if (first === undefined || last === undefined) return null;
  const room = (width - 28) / runs.length;
  return (
    <div ref={figure} class="chart" role="img" aria-label={t.label(t.outcomes, nameOf(first.from), nameOf(last.to))}>
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {stacksOf(runs, BASE_LINE - 10).map((parts, index) =>
            parts.map(({ bottom, height, outcome }) => (
              <rect
                key={`${runs[index]!.from} ${outcome}`}
                class={outcome}
                x={14 + index * room + 1}
                y={BASE_LINE - bottom - height}
                width={Math.max(1, room - 2)}
                height={height}
                rx={1.5}
              >
                <title>{`${nameOf(runs[index]!.from)}: ${runs[index]![outcome]} ${t.counts[outcome]}`}</title>
              </rect>
            )),
          )}
          <line class="tick" x1={14} x2={width - 14} y1={BASE_LINE + 0.5} y2={BASE_LINE + 0.5} />
          <text x={14} y={HEIGHT - 6}>
            {nameOf(first.from)}
          </text>
          <text x={width - 14} y={HEIGHT - 6} text-anchor="end">
            {nameOf(last.to)}
          </text>
        </svg>
      )}
    </div>
  );
}

function RunsTable({ runs }: { readonly runs: readonly RunCounts[] }) {
  const { charts: t } = words.value;
  return (
    <div class="scrolled chart-table" role="region" aria-label={t.outcomes} tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{t.columns.from}</th>
            {OUTCOMES.map((outcome) => (
              <th key={outcome} scope="col" class="right">
                {t.columns[outcome]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.toReversed().map((bucket) => (
            <tr key={bucket.from}>
              <td>
                <Time at={bucket.from} />
              </td>
              {OUTCOMES.map((outcome) => (
                <td key={outcome} class="num right">
                  {bucket[outcome]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Events of the last day that are not usual: missed, hung, late, dropped. */
function Alarms({ history: { alarms } }: { readonly history: OverviewHistory }) {
  const { alarms: t } = words.value;
  const { holding, shown } = useHeld(alarms);
  const all = (
    <a class="dim" href={pathTo('events')}>
      {t.all}
    </a>
  );
  return (
    <Panel title={t.title} beside={<span class="dim">{t.day}</span>} right={all} on={holding}>
      {shown.length === 0 ? (
        <Look title={t.none} />
      ) : (
        <ul>
          {shown.map((alarm) => (
            <Alarm key={`${alarm.kind} ${alarm.job}`} alarm={alarm} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Alarm({ alarm: { at, count, job, kind } }: { readonly alarm: AlarmAnswer }) {
  const { alarms: t } = words.value;
  const { locale } = texts.value;
  const events = job === null ? pathTo('events') : pathTo('jobs', job, 'events');
  return (
    <li class="row alarm">
      <a href={`${events}${queryOf({ kind })}`}>
        <Kind kind={kind} />
      </a>
      {job === null ? (
        <span class="faint">{t.noJob}</span>
      ) : (
        <a class="cut" href={pathTo('jobs', job)}>
          <Text>{job}</Text>
        </a>
      )}
      <span class="num dim">{t.count(number(count, locale))}</span>
      <Time at={at} />
    </li>
  );
}
