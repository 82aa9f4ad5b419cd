import type { Clock } from '../clock/index.js';
import type {
  DataflowJob,
  FindPropsFaults,
  ItemWork,
  JobType,
  JobWork,
  PropTargets,
  TaskLife,
} from '../domain/index.js';
import { dataflowHandler, findDataflowFaults } from './dataflow.js';

/** What a job does, as a handler, and what else its work says of it. */
interface ResolvedWork {
  readonly handler: ItemWork;
  /** @default the job's props are nobody's business */
  readonly findPropsFaults?: FindPropsFaults;
  /** The props that say what is run. @default none */
  readonly targets?: PropTargets;
  /** @default it is not done by tasks */
  readonly tasks?: TaskLife;
  /** @default nobody is told of settled runs */
  readonly settled?: JobType['settled'];
}

/** Makes a handler of whatever a job does. */
export function resolveWork(clock: Clock, work: JobWork): ResolvedWork {
  if (typeof work === 'function') return { handler: work };
  if (isDataflow(work)) return { handler: dataflowHandler(clock, work), findPropsFaults: findDataflowFaults };
  return workOfType(work);
}

/** The work of a type is what the props of its job say. */
export function workOfType(type: JobType): ResolvedWork {
  return {
    handler: (context, begun) => type.execute(context, begun),
    findPropsFaults: (props) => type.findFaults(props),
    targets: type.targets,
    tasks: type.tasks,
    settled: type.settled && ((context, outcome) => type.settled!(context, outcome)),
  };
}

export function isDataflow(work: object): work is DataflowJob {
  return 'fetchData' in work;
}
