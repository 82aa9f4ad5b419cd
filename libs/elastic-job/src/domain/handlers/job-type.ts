import type { PropTargets } from './prop-targets.js';
import type { JobProps } from './job-props.js';
import type { BegunItem, JobHandler, SettledOutcome, ShardingContext } from '../run/index.js';

/**
 * Checks a job's props.
 * @returns one line for each fault: the property and the form that it must have, but not its value, which may be a
 * secret
 */
export type FindPropsFaults = (props: JobProps) => readonly string[];

/**
 * A kind of job that needs no class of its own: its props say what is to be done. `HTTP` is built in; others are handed
 * to the module's `jobTypes`, and jobs name them by their `type`.
 */
export interface JobType {
  /**
   * ElasticJob's word for it, if it has one: it is also the text of the job's root node, which all peers must share.
   */
  readonly type: string;
  /**
   * Props that decide what is run: an edit in the registry changes them only where the module allows it.
   * @default none
   */
  readonly targets?: PropTargets;
  /**
   * Checks the props at start, and whenever the registry's settings change. With a fault nothing of the job is begun.
   */
  findFaults(props: JobProps): readonly string[];
  /**
   * Says that tasks, in processes of their own, do the work.
   * - `adoptable`: the tasks outlive the instance that has launched them, and another one takes them over. When
   *   `context.signal` aborts by a `HandedOverError` or with the session, the task must be left alone.
   * - `bound`: the tasks end with that instance.
   *
   * Retries are the task's own business.
   * @default the work ends with the call
   */
  readonly tasks?: TaskLife;
  /** Runs one item by `context.props`. A thrown value is the item's outcome. */
  execute(context: ShardingContext, begun?: BegunItem): unknown;
  /**
   * Called once after `execute`, when the registry has recorded the outcome or is known to follow a newer run
   * (`fenced`): data that was kept for a successor can be dropped then. A thrown value is reported as an error event.
   */
  settled?(context: ShardingContext, outcome: SettledOutcome): unknown;
}

/** Life of tasks: `adoptable` if they outlive the instance that has launched them, `bound` if they end with it. */
export type TaskLife = 'adoptable' | 'bound';

/** Rows that a dataflow job processes in one step. An empty array, null and undefined mean that there are none. */
export type DataflowBatch<Row> = readonly Row[] | null | undefined;

/** Result of one fetch: a batch, or a series of batches. */
export type DataflowFetch<Row> = DataflowBatch<Row> | AsyncIterable<DataflowBatch<Row>>;

/**
 * A job that fetches data and processes them, batch by batch. One `fetchData` with its `processData` is a run. With the
 * prop `streaming.process: 'true'`, read when the run begins, they take turns until nothing is fetched. Between two
 * batches a run ends early if its signal has aborted or if its item is to move (`context.isMoving()`): the next run
 * goes on from the checkpoint, if `processData` saves one.
 *
 * Props:
 * - `streaming.process` (false): true to fetch again until nothing is fetched.
 * @see ElasticJob, `DataflowJob`
 */
export interface DataflowJob<Row = unknown> {
  /**
   * Fetches the next batch, or an async iterable of batches, each of which is processed before the next one is asked
   * for.
   */
  fetchData(context: ShardingContext): DataflowFetch<Row> | PromiseLike<DataflowFetch<Row>>;
  /** Processes one batch; never called without rows. A returned promise is awaited, and its value ignored. */
  processData(context: ShardingContext, data: readonly Row[]): unknown;
}

/** The work of a job: a function, a dataflow, or a job type that its props configure. */
export type JobWork = JobHandler | DataflowJob | JobType;
