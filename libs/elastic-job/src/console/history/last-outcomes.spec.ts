import { expect, it } from 'vitest';
import type { FireTimeColumn } from '../../tracing/index.js';
import { withOutcomes } from './last-outcomes.js';

const at = (hour: number) => Date.UTC(2030, 0, 1, hour);
const column = (hour: number, ...fates: FireTimeColumn['items'][number]['fate'][]): FireTimeColumn => ({
  fireTime: at(hour),
  isExpected: true,
  items: fates.map((fate) => ({ fate })),
});
const COLUMNS = [
  column(2, 'failed', 'done', 'missed'),
  column(3, 'done', 'failed', 'unknown'),
  column(4, 'running', 'failed', 'failed'),
];

it.each([
  [2, 0, 'failed', true],
  [2, 1, 'succeeded', false],
  [2, 2, null, false],
  [3, 1, 'failed', false],
  [4, 0, null, false],
  [3, 7, null, false],
  // The history does not reach so far, but has a later success of the first item.
  [1, 0, null, true],
  [1, 2, null, null],
])(
  'the preview for %i o’clock of item %i tells the outcome %s, and of a newer success %s',
  (hour, item, last, newer) => {
    const target = { fireTime: new Date(at(hour)).toISOString(), item, owner: null, because: '' };
    const preview = { targets: [{ ...target, begins: 'at once' as const, last: null, newerSuccess: null }] };

    const { targets } = withOutcomes(preview, { columns: COLUMNS, expectedFrom: 0, isCut: false });

    expect(targets).toEqual([{ ...preview.targets[0], last, newerSuccess: newer }]);
  },
);
