import { describe, expect, it } from 'vitest';
import { type DataflowBatch, CancelledError, type DataflowJob, type JobProps } from '../domain/index.js';
import { dataflowHandler, findDataflowFaults } from './job-work.js';
import { all, setUp, SUCCEEDED } from '@test/support/unit/hand-made-lease.js';

const STREAMING = { props: { 'streaming.process': 'true' } };

/** Fetches the given batches one by one, and remembers the processed rows. */
class Rows implements DataflowJob<number> {
  readonly processed: (readonly number[])[] = [];
  fetches = 0;

  constructor(private readonly batches: DataflowBatch<number>[]) {}

  fetchData(): DataflowBatch<number> {
    this.fetches += 1;
    return this.batches.shift();
  }

  processData(_context: unknown, rows: readonly number[]): void {
    this.processed.push(rows);
  }
}

function run<Row>(job: DataflowJob<Row>, options = {}) {
  const stage = setUp({ items: [0], options });
  return { ...stage, outcomes: () => all(stage.run(dataflowHandler(stage.clock, job))) };
}

async function* yielding(...batches: DataflowBatch<number>[]): AsyncGenerator<DataflowBatch<number>> {
  yield* batches;
}

describe('a dataflow that does not stream', () => {
  it('processes one fetch in a run, and leaves the rest for the next run', async () => {
    const rows = new Rows([[1, 2], [3]]);

    expect(await run(rows).outcomes()).toEqual([{ item: 0, outcome: SUCCEEDED }]);

    expect(rows).toMatchObject({ processed: [[1, 2]], fetches: 1 });
  });

  it.each([[[]], [null], [undefined]])('processes nothing if a fetch gives %j', async (nothing) => {
    const rows = new Rows([nothing]);

    expect(await run(rows).outcomes()).toEqual([{ item: 0, outcome: SUCCEEDED }]);

    expect(rows).toMatchObject({ processed: [], fetches: 1 });
  });

  it('processes each batch of an async iterable before it asks for the next one', async () => {
    const log: string[] = [];
    async function* fetchData() {
      for (const row of [1, 2]) {
        log.push(`asked for ${row}`);
        yield [row];
      }
    }

    await run({ fetchData, processData: (_, [row]: readonly number[]) => log.push(`processed ${row}`) }).outcomes();

    expect(log).toEqual(['asked for 1', 'processed 1', 'asked for 2', 'processed 2']);
  });
});

describe('a dataflow that streams', () => {
  it('fetches and processes until a fetch gives nothing', async () => {
    const rows = new Rows([[1, 2], [3], [], [4]]);

    await run(rows, STREAMING).outcomes();

    expect(rows).toMatchObject({ processed: [[1, 2], [3]], fetches: 3 });
  });

  it('fetches iterables until one of them has no rows', async () => {
    const fetched = [yielding([1], [], [2]), yielding([], null), yielding([3])];
    const processed: number[] = [];

    await run(
      { fetchData: () => fetched.shift(), processData: (_, batch: readonly number[]) => processed.push(...batch) },
      STREAMING,
    ).outcomes();

    expect(processed).toEqual([1, 2]);
  });

  it('closes the source and processes no more when the signal aborts within a batch', async () => {
    const log: string[] = [];
    const { lease, outcomes } = run(
      {
        async *fetchData() {
          try {
            for (;;) yield ['row'];
          } finally {
            log.push('closed');
          }
        },
        processData: () => {
          log.push('processed');
          lease.abortItem(0, new CancelledError('settle-orders', 0));
        },
      },
      STREAMING,
    );

    expect(await outcomes()).toMatchObject([{ outcome: { kind: 'aborted' } }]);

    expect(log).toEqual(['processed', 'closed']);
  });

  it('does not process the data of a fetch in which its signal has aborted', async () => {
    let processed = 0;
    const { lease, outcomes } = run({
      fetchData: () => {
        lease.abortItem(0, new CancelledError('settle-orders', 0));
        lease.lost.add(0);
        return [1];
      },
      processData: () => (processed += 1),
    });

    expect(await outcomes()).toMatchObject([{ outcome: { kind: 'aborted' } }]);

    expect(processed).toBe(0);
  });

  it('succeeds with the batches that it has processed once its item is to move', async () => {
    const rows = new Rows([[1], [2], [3]]);
    const { lease, outcomes } = run(rows, STREAMING);
    lease.isMoving = () => rows.processed.length >= 2;

    expect(await outcomes()).toEqual([{ item: 0, outcome: SUCCEEDED }]);

    expect(rows.processed).toEqual([[1], [2]]);
  });

  it('gives the event loop a turn after each batch, even if batches are ready at once', async () => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);

    await run(new Rows(Array.from({ length: 50 }, () => [1])), STREAMING).outcomes();
    isOver = true;

    expect(turns).toBeGreaterThanOrEqual(50);
  });
});

describe('what fails in a dataflow', () => {
  it.each<[string, DataflowJob<number>, string]>([
    ['fetch', { fetchData: () => Promise.reject(new Error('no database')), processData: () => {} }, 'no database'],
    ['process', { fetchData: () => [1], processData: () => Promise.reject(new Error('no row')) }, 'no row'],
  ])('fails the item with the error of a %s that rejects', async (_, job, message) => {
    expect(await run(job).outcomes()).toMatchObject([{ outcome: { kind: 'failed', error: { message } } }]);
  });

  it('fails the item with advice to wrap the row if a fetch gives a row instead of a batch', async () => {
    const rows: DataflowJob<number> = new Rows([]);
    rows.fetchData = () => JSON.parse('{ "row": 1 }');

    expect(await run(rows).outcomes()).toMatchObject([
      { outcome: { kind: 'failed', error: { message: expect.stringContaining('wrap a single row: [row]') } } },
    ]);
  });
});

describe('the props of a dataflow', () => {
  it.each<JobProps>([{}, { 'streaming.process': 'true' }, { 'streaming.process': 'FALSE' }])('may be %j', (props) => {
    expect(findDataflowFaults(props)).toEqual([]);
  });

  it.each(['yes', 'true!', 'untrue', ''])('names the property of "%s" as a fault', (value) => {
    expect(findDataflowFaults({ 'streaming.process': value })).toEqual([`streaming.process must be "true" or "false"`]);
  });
});
