import { inOwnContext } from '../async-context/index.js';
import type { Clock } from '../clock/index.js';
import {
  type CheckProps,
  type DataflowJob,
  faultsOf,
  type ItemWork,
  type JobType,
  type JobWork,
  type PropTargets,
  type TaskLife,
} from '../domain/index.js';
import { dataflowHandler, findDataflowFaults } from './dataflow.js';

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
