/** A place in a plot; both are above 0, as the axes are logarithmic. */
interface Point {
  readonly x: number;
  readonly y: number;
}

interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

export interface Plot {
  readonly title: string;
  readonly xLabel: string;
  readonly yLabel: string;
  readonly lines: readonly Line[];
  /** Origin of the figures, below the plot. */
  readonly note: string;
}

const WIDTH = 720;
const HEIGHT = 420;
const BOX = { left: 80, right: 560, top: 50, bottom: 340 };
const COLOURS = ['#1f5fa8', '#c2571a', '#3a7d34', '#7b3fa0'];

/** An axis from one power of ten to another. */
interface Axis {
  readonly from: number;
  readonly to: number;
}

/** Draws lines over logarithmic axes, as the text of an SVG file. Points that such axes do not have are left out. */
export function plotSvg({ title, xLabel, yLabel, lines, note }: Plot): string {
  const shown = lines.map(({ name, points }) => ({ name, points: points.filter(isPlace) }));
  const places = shown.flatMap(({ points }) => points);
  const [x, y] = [axisOf(places.map((point) => point.x)), axisOf(places.map((point) => point.y))];
  const middle = (BOX.left + BOX.right) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="13">`,
    `<title>${escape(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(title, middle, 28, 'text-anchor="middle" font-size="16"'),
    ...decades(x).map((value) => verticalTick(value, xOf(value, x))),
    ...decades(y).map((value) => horizontalTick(value, yOf(value, y))),
    text(xLabel, middle, BOX.bottom + 42, 'text-anchor="middle"'),
    text(yLabel, 20, (BOX.top + BOX.bottom) / 2, 'text-anchor="middle" transform="rotate(-90 20 195)"'),
    ...shown.flatMap((line, index) => lineOf(line, index, { x, y })),
    text(note, BOX.left, HEIGHT - 12, 'fill="#555555" font-size="11"'),
    '</svg>\n',
  ].join('\n');
}

/** The whole powers of ten around the values. */
export function axisOf(values: readonly number[]): Axis {
  if (values.length === 0) return { from: 1, to: 10 };
  const from = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const to = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  return { from, to: to > from ? to : from * 10 };
}

function isPlace({ x, y }: Point): boolean {
  return Number.isFinite(x) && Number.isFinite(y) && x > 0 && y > 0;
}

function decades({ from, to }: Axis): readonly number[] {
  const count = Math.round(Math.log10(to / from));
  return Array.from({ length: count + 1 }, (_, power) => Number((from * 10 ** power).toPrecision(1)));
}

function lineOf({ name, points }: Line, index: number, axes: { readonly x: Axis; readonly y: Axis }) {
  const colour = COLOURS[index % COLOURS.length]!;
  const places = points
    .toSorted((a, b) => a.x - b.x)
    .map((point) => `${xOf(point.x, axes.x).toFixed(1)},${yOf(point.y, axes.y).toFixed(1)}`);
  const legend = BOX.top + 14 + 22 * index;
  return [
    `<polyline points="${places.join(' ')}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...places.map((place) => {
      const [cx, cy] = place.split(',');
      return `<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`;
    }),
    `<rect x="${BOX.right + 16}" y="${legend - 10}" width="12" height="12" fill="${colour}"/>`,
    text(name, BOX.right + 34, legend, ''),
  ];
}

function verticalTick(value: number, at: number): string {
  const line = `<line x1="${at}" x2="${at}" y1="${BOX.top}" y2="${BOX.bottom}" stroke="#dddddd"/>`;
  return `${line}${text(formatTick(value), at, BOX.bottom + 20, 'text-anchor="middle"')}`;
}

function horizontalTick(value: number, at: number): string {
  const line = `<line x1="${BOX.left}" x2="${BOX.right}" y1="${at}" y2="${at}" stroke="#dddddd"/>`;
  return `${line}${text(formatTick(value), BOX.left - 8, at + 4, 'text-anchor="end"')}`;
}

function xOf(value: number, axis: Axis): number {
  return rounded(BOX.left + share(value, axis) * (BOX.right - BOX.left));
}

function yOf(value: number, axis: Axis): number {
  return rounded(BOX.bottom - share(value, axis) * (BOX.bottom - BOX.top));
}

/** Rounds to a tenth of a pixel. */
function rounded(pixels: number): number {
  return Math.round(10 * pixels) / 10;
}

function share(value: number, { from, to }: Axis): number {
  return Math.log10(value / from) / Math.log10(to / from);
}

function formatTick(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

function text(words: string, x: number, y: number, attributes: string): string {
  return `<text x="${x}" y="${y}" ${attributes}>${escape(words)}</text>`;
}

function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
