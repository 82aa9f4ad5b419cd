import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { unixToQuartz } from '../../../libs/elastic-job/src/entries/tools.js';
import { clockChangeRows, expressionRow } from './fire-times.js';
import { drawOwners } from './picture.js';
import { type History, itemsOfOneJob, jobsOfOneItem, movedBetween, type Owners } from './strategies.js';

describe.each(['docs', 'docs/zh'])('figures that the library computes, in %s', (docs) => {
  it('are the fire times on both days of summer time', () => {
    const rows = rowsOf(`${docs}/concepts/clock-changes.md`).filter(([, rule]) => /natural|quartz/.test(rule ?? ''));
    expect(rows).toEqual(clockChangeRows());
  });

  it('are the fire times of each cron expression', () => {
    const rows = rowsOf(`${docs}/concepts/cron.md`).filter((cells) => cells.length === 3);
    const shown = rows.map((cells) => cells.slice(1)).filter(([expression]) => /^`\d/.test(expression!));
    expect(shown.length).toBeGreaterThan(10);
    expect(shown).toEqual(shown.map(([expression = '']) => expressionRow(expression.replaceAll('`', ''))));
  });
});

it.each(['docs', 'docs/zh'])('expressions of pages of %s that name the unix dialect for all jobs are unix', (docs) => {
  for (const page of ['nestjs-schedule', 'bullmq']) {
    const text = readFileSync(`${docs}/migrate/${page}.md`, 'utf8');
    const shown = [...text.matchAll(/cron: '([^']+)'/g)].map(([, cron]) => cron!);
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.map(unixToQuartz)).toHaveLength(shown.length);
  }
});

describe('owners that the library computes', () => {
  let items: readonly History[];
  let jobs: readonly History[];
  beforeAll(async () => {
    items = await itemsOfOneJob();
    jobs = await jobsOfOneItem();
  });

  it.each(['docs', 'docs/zh'])('stand in the tables of strategies of %s', (docs) => {
    const rows = rowsOf(`${docs}/concepts/strategies.md`).filter(
      (cells) => cells.length === 6 && cells[0]!.startsWith('`'),
    );
    expect(rows.slice(0, items.length)).toEqual(items.map((history) => cellsOf(history, joined)));
    expect(rows.slice(items.length)).toEqual(jobs.map((history) => cellsOf(history, counted)));
  });

  it('are drawn in the picture', async () => {
    const shown = items.filter(({ strategy }) => ['BALANCED', 'AVG_ALLOCATION'].includes(strategy));
    await expect(drawOwners(shown)).toMatchFileSnapshot('../../../docs/concepts/strategies.svg');
  });
});

/** Rows of all tables of a page, each as its cells. */
function rowsOf(page: string): readonly (readonly string[])[] {
  const lines = readFileSync(page, 'utf8').split('\n');
  const rows = lines.filter((line) => line.startsWith('| '));
  return rows.map((row) => row.slice(1, -1).split('|').map((cell) => cell.trim())); // prettier-ignore
}

function cellsOf({ strategy, owners: [three, crashed, afterJoin] }: History, form: (owners: Owners) => string) {
  const moves = [movedBetween(three, crashed), movedBetween(crashed, afterJoin)].map(String);
  return [`\`${strategy}\``, form(three), form(crashed), moves[0], form(afterJoin), moves[1]];
}

/** Such as `AAB`. */
function joined(owners: Owners): string {
  return owners.join('');
}

/** Such as `A2 B1`. */
function counted(owners: Owners): string {
  const names = [...new Set(owners)].toSorted();
  return names.map((name) => `${name}${owners.filter((owner) => owner === name).length}`).join(' ');
}
