import { useMemo } from 'preact/hooks';
import { clockTime, HERE, span, texts, visibleText } from '../text/index.js';
import { words } from './texts.js';
import { BAR, type Geometry, HEAD, ROW, toneOf, widthOf, xOf, yOf } from './timeline-geometry.js';
import type { Bar, Timeline } from './timeline-layout.js';

export interface PictureOf {
  readonly timeline: Timeline;
  readonly geometry: Geometry;
  readonly active: Bar | undefined;
  /** Id of the run that is looked at. */
  readonly current: string | undefined;
}

export function tickText(at: number, { from, ticks, to }: Geometry): string {
  const step = (ticks[1] ?? to) - (ticks[0] ?? from);
  return clockTime(at, HERE, step < 60_000);
}

/** A timeline of few bars. What the pointer is on lies above the rest, which is not drawn anew for it. */
export function SvgPicture({ active, current, geometry, timeline }: PictureOf) {
  const { height, width } = geometry;
  return (
    <svg width={width} height={height} aria-hidden="true">
      {useMemo(() => still({ current, geometry, timeline }), [current, geometry, timeline, words.value])}
      {active !== undefined && <BarShape bar={active} geometry={geometry} class="active" />}
    </svg>
  );
}

function still({ current, geometry, timeline }: Omit<PictureOf, 'active'>) {
  const { height, label, ticks, width } = geometry;
  const { bands, bars, joins, rows } = timeline;
  const { timeline: t } = words.value;
  return (
    <g>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="tick" x1={xOf(geometry, tick)} x2={xOf(geometry, tick)} y1={HEAD - 4} y2={height - 4} />
          <text x={xOf(geometry, tick) + 3} y={12}>
            {tickText(tick, geometry)}
          </text>
        </g>
      ))}
      {geometry.knee < geometry.to && (
        <g>
          <path class="fold" d={`M${xOf(geometry, geometry.knee) - 3} 8l6 4l-6 4l6 4`} />
          <text x={width - 14} y={12} text-anchor="end">
            {tickText(geometry.to, geometry)}
          </text>
        </g>
      )}
      {bands.map((band) => {
        const x = xOf(geometry, band.from);
        const name = t.crash(visibleText(band.instance));
        const isLeft = x > width / 2;
        return (
          <g key={`${band.from} ${band.instance}`}>
            <rect
              class="band"
              x={x}
              y={HEAD - 2}
              width={Math.max(3, xOf(geometry, band.to) - x)}
              height={height - HEAD}
            />
            <text class="bad" x={isLeft ? x - 4 : x + 6} y={height - 4} text-anchor={isLeft ? 'end' : 'start'}>
              {name}
            </text>
          </g>
        );
      })}
      {rows.map((item, row) => (
        <text key={item} class="name" x={14} y={HEAD + row * ROW + 15}>
          {t.item(item)}
        </text>
      ))}
      {joins.map((join) => (
        <path
          key={`${join.row} ${join.from}`}
          class="join"
          d={`M${xOf(geometry, join.from)} ${yOf(join.row) + BAR / 2}H${xOf(geometry, join.to)}`}
        />
      ))}
      {bars.map((bar) => (
        <BarShape
          key={`${bar.run.id} ${bar.from}`}
          bar={bar}
          geometry={geometry}
          class={bar.run.id === current ? 'current' : ''}
        />
      ))}
      {bars.map((bar, index) => {
        const text = bars[index + 1]?.row === bar.row ? undefined : noteOf(bar);
        const x = xOf(geometry, bar.from) + widthOf(geometry, bar) + 5;
        if (text === undefined || x + text.length * 6.4 > width) return null;
        return (
          <text key={`note ${bar.run.id} ${bar.from}`} class={toneOf(bar)} x={x} y={yOf(bar.row) + 10}>
            {text}
          </text>
        );
      })}
      <line class="tick" x1={label} x2={label} y1={HEAD - 4} y2={height - 4} />
    </g>
  );
}

interface ShapeProps {
  readonly bar: Bar;
  readonly geometry: Geometry;
  readonly class: string;
}

function BarShape({ bar, class: more, geometry }: ShapeProps) {
  const own = `${bar.isEarlier ? 'earlier' : ''} ${bar.outcome === 'lost' ? 'open' : ''} ${more}`;
  return (
    <rect
      class={`run-bar ${toneOf(bar)} ${own}`}
      x={xOf(geometry, bar.from)}
      y={yOf(bar.row)}
      width={widthOf(geometry, bar)}
      height={BAR}
      rx={3}
    />
  );
}

/** Words behind the last bar of a row, if it is out of the ordinary. */
function noteOf({ outcome, run }: Bar): string | undefined {
  const { outcomes, timeline: t } = words.value;
  const name = outcomes[outcome].name.toLowerCase();
  if (outcome === 'succeeded') return run.source === 'FAILOVER' ? t.failover : undefined;
  if (outcome === 'running') return `${name} ${span(Date.now() - Date.parse(run.begunAt), texts.value.units)}`;
  return run.attempts > 1 ? `${name}, ${t.attempts(run.attempts)}` : name;
}
