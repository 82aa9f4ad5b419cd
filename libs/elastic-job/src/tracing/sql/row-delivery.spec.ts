import { expect, it } from 'vitest';
import { deliver, type Refusal } from './row-delivery.js';
import type { ExecutionRow, StatusRow, TraceRow } from './trace-row.js';

it('writes all rows at once if none is refused', async () => {
  const told = await delivered(rowsOf(8), () => false);

  expect(told).toEqual({ tried: 1, order: ['8 written'], written: rowsOf(8) });
});

it('costs one row and few attempts for one refused row, and tells of all rows in their order', async () => {
  const told = await delivered(rowsOf(200), ({ number }) => number === 5);

  expect(told.written.map(({ number }) => number)).toEqual(
    rowsOf(200).flatMap(({ number }) => (number === 5 ? [] : number)),
  );
  expect(told.order).toContain('5 refused');
  expect(told.order.indexOf('5 refused')).toBeGreaterThan(0);
  expect(told.tried).toBeLessThan(20);
});

it('writes a row with question marks for the letters that are refused', async () => {
  const row = { ...execution, jobName: '结算', failureCause: 'Error: 😀\n\tat 库' };

  const { written } = await delivered([row], (tried) => /[^\n\t -~]/.test(JSON.stringify(tried)));

  expect(written).toEqual([{ ...row, jobName: '??', failureCause: 'Error: ?\n\tat ?' }]);
});

it('writes a row with a note instead of a text that is refused in ASCII as well', async () => {
  const rows = [
    { ...execution, failureCause: 'no stock' },
    { ...status, message: '{1=no stock}' },
  ];

  const { order, written } = await delivered(rows, (tried) => JSON.stringify(tried).includes('stock'));

  expect(order).toEqual(['0 less', '1 less']);
  const note = 'The database has refused this text.';
  expect(written).toEqual([
    { ...execution, failureCause: note },
    { ...status, message: note },
  ]);
});

it('tries a row without a text once more only if the failure did not name its contents', async () => {
  const isRefused = () => true;

  expect((await delivered([status], isRefused)).tried).toBe(1);
  expect((await delivered([status], isRefused, false)).tried).toBe(2);
});

it('keeps the whole text of a row that is accepted at the second attempt', async () => {
  let isFirst = true;
  const row = { ...execution, failureCause: '库存' };

  const { order, written } = await delivered([row], () => isFirst && !(isFirst = false), false);

  expect([order, written]).toEqual([['1 written'], [row]]);
});

const about = { id: 'i', jobName: 'j', taskId: 't' };
const status: StatusRow = {
  ...about,
  table: 'status',
  number: 1,
  slaveId: '10.0.0.1',
  shardingItem: '[0]',
  state: 'TASK_RUNNING',
  message: '',
  creationTime: 0,
};
const execution: ExecutionRow = {
  ...about,
  table: 'execution',
  number: 0,
  hostname: 'h',
  ip: '10.0.0.1',
  shardingItem: 0,
  executionSource: 'NORMAL_TRIGGER',
  failureCause: null,
  isSuccess: false,
  startTime: 0,
  completeTime: null,
};

function rowsOf(count: number): TraceRow[] {
  return Array.from({ length: count }, (_, number) => ({ ...status, number }));
}

/** Delivers rows to a database that refuses some. */
async function delivered(rows: readonly TraceRow[], isRefused: (row: TraceRow) => boolean, isOfContents = true) {
  const told = { tried: 0, order: Array<string>(), written: Array<TraceRow>() };
  await deliver(rows, {
    refusalOf: async (tried): Promise<Refusal | undefined> => {
      told.tried += 1;
      if (tried.some(isRefused)) return { error: new Error('refused'), isOfContents };
      told.written.push(...tried);
      return undefined;
    },
    onWritten: (count) => void told.order.push(`${count} written`),
    onLess: ({ number }) => void told.order.push(`${number} less`),
    onRefused: ({ number }) => void told.order.push(`${number} refused`),
  });
  return told;
}
