import type { History, Owners } from './strategies.js';

const SIDE = 44;
const GAP = 6;
const LEFT = 178;
const PANEL = 262;
/** Fills that differ in brightness too, so that letters and colours say the same in print. */
const FILLS: Readonly<Record<string, string>> = { A: '#2f6fb3', B: '#a8650c', C: '#4f9a5b', D: '#8c4fa0' };
const MOMENTS = ['A, B and C', 'B has crashed', 'D has joined'];

/** A picture of who owns the items of a job at each moment. Items that have just moved have a border. */
export function drawOwners(histories: readonly History[]): string {
  const panels = histories.map((history, index) => panelOf(history, index * PANEL));
  const [width, height] = [LEFT + 8 * (SIDE + GAP) + 18, histories.length * PANEL - 16];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="15">`,
    '<title>Items of a job and their owners, by strategy</title>',
    `<rect width="${width}" height="${height}" rx="8" fill="#ffffff"/>`,
    ...panels.flat(),
    '</svg>\n',
  ].join('\n');
}

function panelOf({ strategy, owners }: History, top: number): readonly string[] {
  const title = `<text x="18" y="${top + 34}" font-size="18" font-weight="bold" fill="#222222">${strategy}</text>`;
  const numbers = Array.from({ length: 8 }, (_, item) => text(middleOf(item), top + 62, String(item), '#555555'));
  const rows = owners.map((letters, moment) => rowOf(letters, owners[moment - 1] ?? letters, moment, top + 72));
  return [title, `<text x="18" y="${top + 62}" fill="#555555">item</text>`, ...numbers, ...rows.flat()];
}

function rowOf(letters: Owners, former: Owners, moment: number, top: number): readonly string[] {
  const y = top + moment * (SIDE + GAP);
  const label = `<text x="18" y="${y + 28}" fill="#222222">${MOMENTS[moment]}</text>`;
  const boxes = letters.flatMap((owner, item) => {
    const border = owner === former[item] ? '' : ' stroke="#000000" stroke-width="4"';
    return [
      `<rect x="${LEFT + item * (SIDE + GAP)}" y="${y}" width="${SIDE}" height="${SIDE - 4}" rx="5"` +
        ` fill="${FILLS[owner]}"${border}/>`,
      text(middleOf(item), y + 26, owner, '#ffffff'),
    ];
  });
  return [label, ...boxes];
}

function middleOf(item: number): number {
  return LEFT + item * (SIDE + GAP) + SIDE / 2;
}

function text(x: number, y: number, content: string, fill: string): string {
  return `<text x="${x}" y="${y}" text-anchor="middle" fill="${fill}">${content}</text>`;
}
