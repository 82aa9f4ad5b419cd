import { inOwnContext } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import {
  type CheckProps,
  type DataflowBatch,
  type DataflowFetch,
  type DataflowJob,
  faultsOf,
  type ItemWork,
  type JobHandler,
  type JobProps,
  type JobType,
  type JobWork,
  type PropClasses,
  type PropTargets,
  type ShardingContext,
  type TaskLife,
  WHEN,
} from '../domain/index.js';

/** The work of a job as a handler, with its other properties. */
interface ResolvedWork {
  readonly handler: ItemWork;
  /** Checks of the job's props. @default none */
  readonly findPropsFaults?: CheckProps;
  /** Props that decide what is run. @default none */
  readonly targets?: PropTargets;
  /** Kind of tasks that do the work. @default no tasks */
  readonly tasks?: TaskLife;
  /** Called for each settled run. @default not called */
  readonly settled?: JobType['settled'];
}

/** Makes a handler from a job's work. */
export function resolveWork(clock: Clock, work: JobWork): ResolvedWork {
  if (typeof work === 'function') return { handler: work };
  if (isDataflow(work)) return { handler: dataflowHandler(clock, work), findPropsFaults: findDataflowFaults };
  return workOfType(work);
}

/** The work of a job type, which follows the props of its job. */
export function workOfType(type: JobType): ResolvedWork {
  return {
    handler: (context, begun) => type.execute(context, begun),
    findPropsFaults: (props, onThrown) => faultsOf(() => inOwnContext(() => type.findFaults(props)), onThrown),
    targets: type.targets,
    tasks: type.tasks,
    settled: type.settled && ((context, outcome) => inOwnContext(() => type.settled!(context, outcome))),
  };
}

export function isDataflow(work: object): work is DataflowJob {
  return 'fetchData' in work;
}

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
