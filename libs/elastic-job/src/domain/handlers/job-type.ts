import type { PropTargets } from './prop-targets.js';
import type { JobProps } from './props-reader.js';
import type { BegunItem, JobHandler, SettledOutcome, ShardingContext } from '../run/index.js';

/**
 * Looks for what is wrong with a job's props.
 * @returns one line for each fault: the property, what it must be, and its value unless that is a secret
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
   * The props that say what is run: an edit in the registry changes them only where the module allows it.
   * @default none
   */
  readonly targets?: PropTargets;
  /** Asked at start, and whenever the registry's settings change: with a fault nothing of the job is begun. */
  findFaults(props: JobProps): readonly string[];
  /**
   * The work is done by tasks, in processes of their own. `adoptable`: they outlive the instance that has launched
   * them, and another one takes them over; when `context.signal` aborts by a `HandedOverError` or with the session, the
   * task must be left alone. `bound`: they end with that instance. Retries are the task's own business.
   * @default the work ends with the call
   */
  readonly tasks?: TaskLife;
  /** Runs one item by `context.props`. What it throws is the item's outcome. */
  execute(context: ShardingContext, begun?: BegunItem): unknown;
  /**
   * Called once after `execute`, when the registry has recorded the outcome, or is known to follow a newer run
   * (`fenced`): what was kept for a successor can go then. What it throws is told as an error event.
   */
  settled?(context: ShardingContext, outcome: SettledOutcome): unknown;
}

/** Whether tasks outlive the instance that has launched them. */
export type TaskLife = 'adoptable' | 'bound';

/** What a dataflow job works off in one step. Nothing is an empty array, null or undefined. */
export type DataflowBatch<Row> = readonly Row[] | null | undefined;

/** What one fetch gives. */
export type DataflowFetch<Row> = DataflowBatch<Row> | AsyncIterable<DataflowBatch<Row>>;

/**
 * A job that fetches data and processes them, batch by batch. One `fetchData` with its `processData` is a run; with the
 * prop `streaming.process: 'true'`, as it was when the run began, they take turns until nothing is fetched. Between two
 * batches a run ends early if its signal has aborted or if its item is to move (`context.isMoving()`): the next run
 * goes on from the checkpoint, if `processData` saves one.
 * @see ElasticJob, `DataflowJob`
 */
export interface DataflowJob<Row = unknown> {
  /** The next data, or an async iterable of them, of which each batch is processed before the next one is asked for. */
  fetchData(context: ShardingContext): DataflowFetch<Row> | PromiseLike<DataflowFetch<Row>>;
  /** Never called with nothing. What it returns is awaited and ignored. */
  processData(context: ShardingContext, data: readonly Row[]): unknown;
}

/** What a job does: a function, a dataflow, or what its props tell a type. */
export type JobWork = JobHandler | DataflowJob | JobType;
