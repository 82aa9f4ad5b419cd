import { describe, expect, it } from 'vitest';
import { draftOf, judge, replaced } from './choice.js';

const T1 = '2026-11-22T02:00:00.000Z';
const T2 = '2026-11-23T02:00:00.000Z';
const draft = (items: string, fireTimes: string) => ({ items, fireTimes, anyTime: false });

describe('the choice of a re-run', () => {
  it('is what was chosen in the strip, and may be typed over', () => {
    const chosen = draftOf([3, 5, 7, 8, 9], [T1, T2]);
    expect(chosen.items).toBe('3, 5, 7–9');
    expect(judge(chosen).choice).toEqual({ items: [3, 5, 7, 8, 9], fireTimes: [T1, T2] });
    expect(judge({ ...chosen, items: '9, 0 - 2 9' }).choice?.items).toEqual([0, 1, 2, 9]);
  });

  it('has instants with an offset, in UTC, and of this zone, each once and in order', () => {
    const { choice } = judge(draft('0', `2026-11-23 03:00 +01:00\n\n2026-11-22T02:00:00.000Z, 2026-11-22 02:00Z`));
    expect(choice?.fireTimes).toEqual([T1, T2]);
    const local = new Date(2026, 10, 22, 12, 30).toISOString();
    expect(judge(draft('0', '2026-11-22 12:30')).choice?.fireTimes).toEqual([local]);
    expect(judge(draft('0', '2026-11-22 12:30:00')).choice?.fireTimes).toEqual([local]);
  });

  it('keeps an instant with milliseconds, as that of a trigger', () => {
    const at = '2026-11-22T02:00:00.123Z';
    expect(judge(draftOf([0], [at])).choice?.fireTimes).toEqual([at]);
  });

  it.each([
    ['', '', 'items'],
    ['3-1', T1, 'items'],
    ['0-99999', T1, 'items'],
    ['x', T1, 'items'],
    ['0', ' \n', 'no-fire-time'],
    ['0', 'yesterday', 'fireTime'],
    ['0', '2026-02-30 25:00', 'fireTime'],
    [
      '0',
      Array.from({ length: 101 }, (_, day) => new Date(day * 86_400_000).toISOString()).join('\n'),
      'many-fire-times',
    ],
    ['0-9998', `${T1}\n${T2}`, 'many-targets'],
  ])('is told to be wrong before it is asked for: items %j at %j', (items, fireTimes, fault) => {
    expect(judge(draft(items, fireTimes))).toMatchObject({ choice: undefined, fault });
  });

  it('says which line is wrong', () => {
    expect(judge(draft('0', `${T1}\nnow`)).line).toBe('now');
  });

  it('takes a neighbour in the place of the time that the schedule lacks, and leaves the others', () => {
    const wrong = draft('0', `${T1}\n2026-11-22T14:00Z`);
    const before = replaced(wrong, { before: T1, after: T2 }, T1);
    expect(judge(before).choice?.fireTimes).toEqual([T1]);
    expect(judge(replaced(wrong, { before: T1, after: T2 }, T2)).choice?.fireTimes).toEqual([T1, T2]);
  });

  it('asks for any time only if somebody has said so', () => {
    expect(judge({ ...draft('0', T1), anyTime: true }).choice).toEqual({ items: [0], fireTimes: [T1], anyTime: true });
  });
});
