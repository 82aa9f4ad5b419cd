/**
 * The picture of a timeline: as SVG while it has few bars, as a canvas of the part in sight beyond. A bar is found by
 * the place of the pointer, and by keys, in both; what it is stands below the picture.
 */
import './timeline.css';
import { useLocation } from 'preact-iso';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { RunAnswer, RunRow } from '../../../src/console/contract/history-answers.js';
import { pathTo, present } from '../api/index.js';
import { Look, Panel, VirtualTable } from '../parts/index.js';
import { clockTime, HERE, span, texts, visibleText } from '../text/index.js';
import { ShownAs } from './looks.js';
import { runColumns } from './run-columns.js';
import { words } from './texts.js';
import { CanvasPicture } from './timeline-canvas.js';
import { type Geometry, geometryOf, ROW, rowAt, timeAt } from './timeline-geometry.js';
import { type Bar, barAfter, barAt, type Timeline, timelineOf } from './timeline-layout.js';
import { SvgPicture } from './timeline-svg.js';
import { useWidth } from './width.js';

/** Most bars of an SVG. */
const MOST_OF_SVG = 500;
/** A pointer hits a bar within so many pixels. */
const SLACK = 4;

/** All runs of one target, with the attempts of the one that is looked at. */
export function TargetTimeline({ answer }: { readonly answer: RunAnswer }) {
  const { attempts, ofTarget, run } = answer;
  const { timeline: t } = words.value;
  const runs = ofTarget.length === 0 ? [run] : ofTarget;
  const timeline = useMemo(
    () => timelineOf({ runs, attempts: new Map([[run.id, attempts]]), now: present() }),
    [answer],
  );
  return (
    <Panel title={t.title} beside={<span class="dim">{HERE}</span>}>
      <Picture timeline={timeline} current={run.id} />
    </Panel>
  );
}

interface TimelineViewProps {
  readonly timeline: Timeline;
  readonly runs: readonly RunRow[];
  readonly isTable: boolean;
}

/** A timeline as a picture, or as its twin, a table. */
export function TimelineView({ isTable, runs, timeline }: TimelineViewProps) {
  const { route } = useLocation();
  const { timeline: t } = words.value;
  if (runs.length === 0) return <Look title={t.none} />;
  if (!isTable) return <Picture timeline={timeline} />;
  return (
    <VirtualTable<RunRow>
      label={t.title}
      class="history-grid of-job"
      columns={runColumns(true)}
      count={runs.length}
      rowAt={(index) => runs[index]}
      keyAt={(index) => runs[index]?.id ?? index}
      rowHeight={34}
      onOpen={({ id }) => route(pathTo('runs', id))}
    />
  );
}

export function TimelineShownAs(props: { readonly isTable: boolean; readonly onChange: (isTable: boolean) => void }) {
  const { timeline: t } = words.value;
  return <ShownAs label={t.show} picture={t.asChart} table={t.asTable} {...props} />;
}

interface PictureProps {
  readonly timeline: Timeline;
  /** Id of the run that is looked at. */
  readonly current?: string;
}

function Picture({ current, timeline }: PictureProps) {
  const { route } = useLocation();
  const { timeline: t } = words.value;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller);
  const [active, setActive] = useState<Bar>();
  const geometry = useMemo(() => geometryOf(timeline, width, t.item(timeline.rows.at(-1) ?? 0)), [timeline, width, t]);
  const { bars, rows } = timeline;
  const shown = active === undefined ? undefined : bars.find(isSameAs(active));

  const find = (event: MouseEvent): Bar | undefined => {
    const { current: element } = scroller;
    if (element === null) return undefined;
    const { left, top } = element.getBoundingClientRect();
    const row = rowAt(event.clientY - top + element.scrollTop);
    const x = event.clientX - left;
    const at = timeAt(geometry, x);
    return barAt(bars, row, at, timeAt(geometry, x + SLACK) - at);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === 'Enter' && shown !== undefined) return route(pathTo('runs', shown.run.id));
    const next = shown === undefined ? bars[0] : barAfter(bars, shown, event.key);
    if (next === undefined || (shown === undefined && !event.key.startsWith('Arrow'))) return undefined;
    event.preventDefault();
    setActive(next);
    const { current: element } = scroller;
    const top = next.row * ROW;
    if (element === null) return undefined;
    if (top < element.scrollTop) element.scrollTop = top;
    if (top + 3 * ROW > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + 3 * ROW - element.clientHeight;
    }
    return undefined;
  };
  const props = { timeline, geometry, active: shown, current };
  return (
    <>
      <div
        ref={scroller}
        class={`timeline${shown === undefined ? '' : ' on-bar'}`}
        role="group"
        tabIndex={0}
        aria-label={t.label(rows.length, new Set(bars.map(({ run }) => run.id)).size)}
        onPointerMove={(event) => setActive(find(event))}
        onPointerLeave={() => setActive(undefined)}
        onClick={(event) => {
          const bar = find(event);
          if (bar !== undefined) route(pathTo('runs', bar.run.id));
        }}
        onKeyDown={onKeyDown}
      >
        {width > 0 &&
          (bars.length <= MOST_OF_SVG ? <SvgPicture {...props} /> : <CanvasPicture {...props} scroller={scroller} />)}
      </div>
      <p class="readout" role="status">
        {shown === undefined ? <span class="faint">{t.hint}</span> : readoutOf(shown, geometry)}
      </p>
    </>
  );
}

function isSameAs({ from, run }: Bar) {
  return (bar: Bar) => bar.run.id === run.id && bar.from === from;
}

function readoutOf({ run }: Bar, { from, to }: Geometry): string {
  const { outcomes, timeline: t } = words.value;
  const { units } = texts.value;
  const withSeconds = to - from < 86_400_000;
  const end = run.settledAt === null ? '…' : clockTime(Date.parse(run.settledAt), HERE, withSeconds);
  const took = run.durationMs === null ? '' : `, ${span(run.durationMs, units)}`;
  const more = [
    ...(run.attempts > 1 ? [t.attempts(run.attempts)] : []),
    ...(run.source === 'FAILOVER' ? [t.failover] : []),
    visibleText(run.instance ?? run.ip),
    ...(run.error === null ? [] : [visibleText(run.error, 'first')]),
  ];
  const times = `${clockTime(Date.parse(run.begunAt), HERE, withSeconds)} – ${end}${took}`;
  return [t.bar(run.item, outcomes[run.outcome].name, times), ...more].join(' · ');
}
