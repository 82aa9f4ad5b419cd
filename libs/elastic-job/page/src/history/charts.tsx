/** Small charts of a job over time: how long its runs took, and how late they began. Each has a table as its twin. */
import './charts.css';
import { useRef, useState } from 'preact/hooks';
import type {
  PercentilesAnswer,
  StatisticsAnswer,
  StatisticsBucketAnswer,
} from '../../../src/console/contract/history-answers.js';
import { apiPath, get, useReading } from '../api/index.js';
import { Look, Panel, Read, Time } from '../parts/index.js';
import { minute } from '../state/index.js';
import { HERE, nearTime, roundSpan, span, texts } from '../text/index.js';
import { isNoHistory, ShownAs, Stale } from './looks.js';
import { logPlaceOf, logTicks, placeOf, spanTicks, textWidth } from './scale.js';
import { words } from './texts.js';
import { useWidth } from './width.js';

const EVERY_MS = 30_000;
const HEIGHT = 116;
const [TOP, BOTTOM, RIGHT] = [10, 92, 12];

/** Percentiles of the last day. Nothing where there is no history, which the strip says. */
export function JobCharts({ job }: { readonly job: string }) {
  const reading = useReading<StatisticsAnswer>(
    `statistics ${job}`,
    (signal) => get(apiPath('jobs', job, 'statistics'), { signal }),
    { everyMs: EVERY_MS },
  );
  const { charts: t } = words.value;
  if (reading.value.value === undefined && isNoHistory(reading.problem.value)) return null;
  return (
    <div class="two">
      {(['duration', 'lateness'] as const).map((what) => (
        <Percentiles key={what} title={t[what]} of={reading} what={what} />
      ))}
    </div>
  );
}

interface PercentilesProps {
  readonly title: string;
  readonly of: ReturnType<typeof useReading<StatisticsAnswer>>;
  readonly what: 'duration' | 'lateness';
}

function Percentiles({ of, title, what }: PercentilesProps) {
  const { charts: t } = words.value;
  const [isTable, setTable] = useState(false);
  const buckets = of.value.value?.buckets ?? [];
  const valueOf = (bucket: StatisticsBucketAnswer) => (what === 'duration' ? bucket.durationMs : bucket.latenessMs);
  const last = buckets.findLast((bucket) => valueOf(bucket) !== null);
  const { units } = texts.value;
  const shown = last === undefined ? undefined : valueOf(last);
  return (
    <Panel
      title={title}
      beside={
        shown != null && <span class="faint">{t.percentiles(span(shown.p50, units), span(shown.p95, units))}</span>
      }
      right={<ShownAs label={t.show} picture={t.asChart} table={t.asTable} isTable={isTable} onChange={setTable} />}
    >
      <Read of={of} lines={3}>
        {({ stale }) => (
          <>
            {stale && <Stale />}
            {last === undefined ? (
              <Look title={t.none} />
            ) : isTable ? (
              <PercentilesTable buckets={buckets} valueOf={valueOf} title={title} />
            ) : (
              <PercentilesPicture buckets={buckets} valueOf={valueOf} title={title} isLog={what === 'lateness'} />
            )}
          </>
        )}
      </Read>
    </Panel>
  );
}

interface PictureProps {
  readonly buckets: readonly StatisticsBucketAnswer[];
  readonly valueOf: (bucket: StatisticsBucketAnswer) => PercentilesAnswer | null;
  readonly title: string;
  /** For values that are far apart: a scale of powers of ten. */
  readonly isLog?: boolean;
}

/** A band from p50 to p95, a line of p50, and dots of the longest; failed runs have a sign below. */
function PercentilesPicture({ buckets, isLog = false, title, valueOf }: PictureProps) {
  const figure = useRef<HTMLDivElement>(null);
  const width = useWidth(figure);
  const { charts: t } = words.value;
  const { locale, units } = texts.value;
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return null;
  const points = buckets.flatMap((bucket) => {
    const value = valueOf(bucket);
    return value === null ? [] : [{ ...value, bucket }];
  });
  const max = Math.max(...points.map((point) => point.max));
  const ticks = isLog ? logTicks(max) : spanTicks(max);
  const ends = [ticks[0]!, ticks.at(-1)!] as const;
  const label = 8 + Math.max(...ticks.map((tick) => textWidth(roundSpan(tick, units))));
  const yOf = (ms: number) => (isLog ? logPlaceOf : placeOf)(ms, ends, [BOTTOM, TOP]);
  const times = [Date.parse(first.from), Date.parse(last.to)] as const;
  const xOf = ({ from, to }: StatisticsBucketAnswer) =>
    placeOf((Date.parse(from) + Date.parse(to)) / 2, times, [label + 6, width - RIGHT]);
  const nameOf = (at: number) => nearTime(at, minute.value, { locale, timeZone: HERE });
  const line = points.map(({ bucket, p50 }, index) => `${index === 0 ? 'M' : 'L'}${xOf(bucket)} ${yOf(p50)}`).join('');
  const high = points.map(({ bucket, p95 }, index) => `${index === 0 ? 'M' : 'L'}${xOf(bucket)} ${yOf(p95)}`).join('');
  const low = points
    .toReversed()
    .map(({ bucket, p50 }) => `L${xOf(bucket)} ${yOf(p50)}`)
    .join('');
  return (
    <div ref={figure} class="chart" role="img" aria-label={t.label(title, nameOf(times[0]), nameOf(times[1]))}>
      {width > 0 && (
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {ticks.map((tick) => (
            <g key={tick}>
              <line class="tick" x1={label + 6} x2={width - RIGHT} y1={yOf(tick)} y2={yOf(tick)} />
              <text x={label} y={yOf(tick) + 3.5} text-anchor="end">
                {roundSpan(tick, units)}
              </text>
            </g>
          ))}
          <path class="spread" d={`${high}${low}Z`} />
          <path class="middle" d={line} />
          {points.map(({ bucket, max: longest, p50 }) => (
            <g key={bucket.from}>
              <circle class="longest" cx={xOf(bucket)} cy={yOf(longest)} r={1.7} />
              <circle class={bucket.failed > 0 ? 'bad' : 'ok'} cx={xOf(bucket)} cy={yOf(p50)} r={2.2} />
            </g>
          ))}
          <text x={label + 6} y={HEIGHT - 6}>
            {nameOf(times[0])}
          </text>
          <text x={width - RIGHT} y={HEIGHT - 6} text-anchor="end">
            {nameOf(times[1])}
          </text>
        </svg>
      )}
    </div>
  );
}

function PercentilesTable({ buckets, title, valueOf }: PictureProps) {
  const { columns } = words.value.charts;
  const { units } = texts.value;
  return (
    <div class="scrolled chart-table" role="region" aria-label={title} tabIndex={0}>
      <table class="plain">
        <thead>
          <tr>
            {(['from', 'p50', 'p95', 'p99', 'max', 'succeeded', 'failed'] as const).map((name) => (
              <th key={name} scope="col" class={name === 'from' ? '' : 'right'}>
                {columns[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {buckets.toReversed().map((bucket) => {
            const value = valueOf(bucket);
            if (value === null) return null;
            return (
              <tr key={bucket.from}>
                <td>
                  <Time at={bucket.from} />
                </td>
                {(['p50', 'p95', 'p99', 'max'] as const).map((name) => (
                  <td key={name} class="num right">
                    {span(value[name], units)}
                  </td>
                ))}
                <td class="num right">{bucket.succeeded}</td>
                <td class="num right">{bucket.failed}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
