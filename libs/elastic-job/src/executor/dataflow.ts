import type { Clock } from '../clock/index.js';
import {
  type DataflowBatch,
  type DataflowFetch,
  type DataflowJob,
  type JobHandler,
  type JobProps,
  type PropClasses,
  type ShardingContext,
  WHEN,
} from '../domain/index.js';

const STREAMING = 'streaming.process';

export const DATAFLOW_PROPS: PropClasses = { [STREAMING]: WHEN };

/**
 * The handler of a dataflow job. After each batch the event loop has a turn, so that a stream does not block other
 * work.
 */
export function dataflowHandler<Row>(clock: Clock, job: DataflowJob<Row>): JobHandler {
  return async (context) => {
    const isStreaming = context.props[STREAMING]?.toLowerCase() === 'true';
    let goesOn: boolean;
    do goesOn = (await processFetched(clock, job, context)) && isStreaming;
    while (goesOn);
  };
}

/** @see FindPropsFaults */
export function findDataflowFaults({ [STREAMING]: streaming }: JobProps): readonly string[] {
  if (streaming === undefined || /^(true|false)$/i.test(streaming)) return [];
  return [`${STREAMING} must be "true" or "false"`];
}

/** Processes one fetch with all its batches. @returns true if there was data and the run may go on */
async function processFetched<Row>(clock: Clock, job: DataflowJob<Row>, context: ShardingContext): Promise<boolean> {
  let batches = 0;
  for await (const batch of batchesOf(await job.fetchData(context))) {
    if (hasRows(batch)) {
      // The fetch may have taken long, so the lease must be checked again.
      context.assertHeld();
      await job.processData(context, batch);
      batches += 1;
    }
    await clock.nextTurn();
    if (context.signal.aborted || context.isMoving()) return false;
  }
  return batches > 0;
}

async function* batchesOf<Row>(fetched: DataflowFetch<Row>): AsyncGenerator<DataflowBatch<Row>, void, void> {
  if (isAsyncIterable(fetched)) yield* fetched;
  else yield fetched;
}

function hasRows<Row>(batch: DataflowBatch<Row>): batch is readonly Row[] {
  if (batch === null || batch === undefined) return false;
  if (Array.isArray(batch)) return batch.length > 0;
  throw new TypeError('fetchData must give arrays, nothing, or an async iterable of such; wrap a single row: [row].');
}

function isAsyncIterable<Row>(fetched: DataflowFetch<Row>): fetched is AsyncIterable<DataflowBatch<Row>> {
  return typeof fetched === 'object' && fetched !== null && Symbol.asyncIterator in fetched;
}
