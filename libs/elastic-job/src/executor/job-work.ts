import type { Clock } from '../clock/index.js';
import type { DataflowJob, FindPropsFaults, JobHandler, JobWork, PropTargets } from '../domain/index.js';
import { dataflowHandler, findDataflowFaults } from './dataflow.js';

/** What a job does, as a handler and what its props must be. */
interface ResolvedWork {
  readonly handler: JobHandler;
  /** Undefined: they are nobody's business. */
  readonly findPropsFaults: FindPropsFaults | undefined;
  /** The props that say what is run. */
  readonly targets: PropTargets | undefined;
  /** The name of the type, if it is work of one. */
  readonly type: string | undefined;
}

/** Makes a handler of whatever a job does. */
export function resolveWork(clock: Clock, work: JobWork): ResolvedWork {
  if (typeof work === 'function')
    return { handler: work, findPropsFaults: undefined, targets: undefined, type: undefined };
  if (isDataflow(work)) {
    return {
      handler: dataflowHandler(clock, work),
      findPropsFaults: findDataflowFaults,
      targets: undefined,
      type: undefined,
    };
  }
  return {
    handler: (context) => work.execute(context),
    findPropsFaults: (props) => work.findFaults(props),
    targets: work.targets,
    type: work.type,
  };
}

export function isDataflow(work: object): work is DataflowJob {
  return 'fetchData' in work;
}
