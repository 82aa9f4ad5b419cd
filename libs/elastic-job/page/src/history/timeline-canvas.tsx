/** A timeline of many bars: a canvas of the rows in sight, drawn anew at most once a frame. */
import { useEffect, useRef } from 'preact/hooks';
import { words } from './texts.js';
import { BAR, type Geometry, HEAD, ROW, toneOf, widthOf, xOf, yOf } from './timeline-geometry.js';
import type { Bar, Timeline } from './timeline-layout.js';
import { type PictureOf, tickText } from './timeline-svg.js';

type CanvasProps = PictureOf & { readonly scroller: { readonly current: HTMLDivElement | null } };

/** A colour of `tokens.css` by its name. */
type ColourOf = (name: string) => string;

export function CanvasPicture({ active, current, geometry, scroller, timeline }: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const { current: element } = scroller;
    if (element === null || canvas.current === null) return undefined;
    let frame = 0;
    const draw = () => {
      frame = 0;
      if (canvas.current !== null) paint(canvas.current, element, { active, current, geometry, timeline });
    };
    const drawSoon = () => (frame ||= requestAnimationFrame(draw));
    draw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const themes = new MutationObserver(drawSoon);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    scheme.addEventListener('change', drawSoon);
    element.addEventListener('scroll', drawSoon, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      themes.disconnect();
      scheme.removeEventListener('change', drawSoon);
      element.removeEventListener('scroll', drawSoon);
    };
  });
  return (
    <div class="sheet" style={{ height: `${geometry.height}px` }}>
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, scroller: HTMLElement, { active, current, geometry, timeline }: PictureOf) {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const height = Math.min(geometry.height, scroller.clientHeight);
  const scale = devicePixelRatio;
  if (canvas.width !== Math.round(geometry.width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(geometry.width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${geometry.width}px`;
    canvas.style.height = `${height}px`;
  }
  const colourOf = coloursBeside(canvas);
  const top = scroller.scrollTop;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, geometry.width, height);
  context.font = `10.5px ${getComputedStyle(canvas).fontFamily}`;
  context.translate(0, -top);
  paintRows(context, {
    colourOf,
    geometry,
    timeline,
    first: Math.floor((top - HEAD) / ROW),
    last: (top + height) / ROW,
  });
  paintBars(context, { active, current, geometry, timeline, colourOf, top, height });
  context.translate(0, top);
  paintHead(context, geometry, colourOf);
}

interface Rows {
  readonly colourOf: ColourOf;
  readonly geometry: Geometry;
  readonly timeline: Timeline;
  readonly first: number;
  readonly last: number;
}

function paintRows(context: CanvasRenderingContext2D, { colourOf, first, geometry, last, timeline }: Rows): void {
  const { timeline: t } = words.value;
  context.fillStyle = colourOf('line');
  for (const tick of geometry.ticks) context.fillRect(xOf(geometry, tick), HEAD - 4, 1, geometry.height);
  context.globalAlpha = 0.16;
  context.fillStyle = colourOf('bad');
  for (const { from, to } of timeline.bands) {
    const x = xOf(geometry, from);
    context.fillRect(x, HEAD - 2, Math.max(3, xOf(geometry, to) - x), geometry.height);
  }
  context.globalAlpha = 1;
  context.fillStyle = colourOf('faint');
  for (let row = Math.max(0, first); row <= last && row < timeline.rows.length; row += 1) {
    context.fillText(t.item(timeline.rows[row]!), 14, HEAD + row * ROW + 15);
  }
}

type Bars = PictureOf & { readonly colourOf: ColourOf; readonly top: number; readonly height: number };

function paintBars(context: CanvasRenderingContext2D, { colourOf, height, top, ...picture }: Bars): void {
  const { active, current, geometry, timeline } = picture;
  const isInSight = (row: number) => yOf(row) + BAR >= top && yOf(row) <= top + height;
  context.fillStyle = colourOf('move');
  for (const { from, row, to } of timeline.joins) {
    if (!isInSight(row)) continue;
    const x = xOf(geometry, from);
    context.fillRect(x, yOf(row) + BAR / 2 - 1, Math.max(1, xOf(geometry, to) - x), 1.5);
  }
  for (const bar of timeline.bars) {
    if (!isInSight(bar.row)) continue;
    paintBar(context, bar, { geometry, colour: colourOf(toneOf(bar)) });
    if (bar !== active && bar.run.id !== current) continue;
    context.strokeStyle = colourOf('accent');
    context.lineWidth = 2;
    context.strokeRect(xOf(geometry, bar.from) - 1, yOf(bar.row) - 1, widthOf(geometry, bar) + 2, BAR + 2);
  }
}

interface Paint {
  readonly geometry: Geometry;
  readonly colour: string;
}

function paintBar(context: CanvasRenderingContext2D, bar: Bar, { colour, geometry }: Paint): void {
  const [x, y, width] = [xOf(geometry, bar.from), yOf(bar.row), widthOf(geometry, bar)];
  context.fillStyle = colour;
  context.globalAlpha = bar.outcome === 'lost' ? 0.2 : bar.isEarlier ? 0.5 : bar.outcome === 'succeeded' ? 0.65 : 1;
  context.fillRect(x, y, width, BAR);
  context.globalAlpha = 1;
  if (bar.outcome !== 'lost') return;
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), BAR - 1);
}

/** The hours stay in sight. */
function paintHead(context: CanvasRenderingContext2D, geometry: Geometry, colourOf: ColourOf): void {
  context.fillStyle = colourOf('panel');
  context.fillRect(0, 0, geometry.width, HEAD - 4);
  context.fillStyle = colourOf('faint');
  for (const tick of geometry.ticks) context.fillText(tickText(tick, geometry), xOf(geometry, tick) + 3, 12);
  if (geometry.knee === geometry.to) return;
  context.textAlign = 'end';
  context.fillText(`… ${tickText(geometry.to, geometry)}`, geometry.width - 14, 12);
  context.textAlign = 'start';
}

/** A canvas knows no variables of CSS: a colour is the one that an element would have. */
function coloursBeside(element: HTMLElement): ColourOf {
  const known = new Map<string, string>();
  return (name) => {
    const colour = known.get(name) ?? colourBeside(element, name);
    known.set(name, colour);
    return colour;
  };
}

function colourBeside(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--${name})`;
  element.after(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
