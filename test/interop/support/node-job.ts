import {
  DistributeOnceElasticJobListener,
  type JobOptions,
  resolveJobOptions,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { JobDefinition, JobTemplate } from '../../../libs/elastic-job/src/runtime/index.js';
import type { BehavingHandlers } from './behaving-handlers.js';
import { JOB_CLASS, type JobSpec } from './job-spec.js';

const TIMEOUT_MS = 5_000;

/** Reports the same as Java's `OnceListener`. */
class OnceListener extends DistributeOnceElasticJobListener {
  constructor(
    override readonly type: string,
    private readonly tell: (event: string) => void,
  ) {
    super(TIMEOUT_MS, TIMEOUT_MS);
  }

  override doBeforeJobExecutedAtLastStarted(): void {
    this.tell('all-started');
  }

  override doAfterJobExecutedAtLastCompleted(): void {
    this.tell('all-completed');
  }
}

/** The definition of Java's job under our names. All else has our defaults. Each listener distributes once. */
export function definitionOf(
  spec: JobSpec,
  handlers: BehavingHandlers,
  tell: (event: string, facts: object) => void,
): JobDefinition {
  const { jobName, jobShardingStrategyType: strategy, ...same } = spec;
  const options: JobOptions = { ...same, name: jobName, ...(strategy && { strategy }) };
  return {
    configuration: resolveJobOptions(options, { place: 'interop' }),
    className: JOB_CLASS,
    place: 'interop',
    handler: handlers.handlerOf(jobName),
    listeners: (spec.jobListenerTypes ?? []).map(
      (type) => new OnceListener(type, (event) => tell(event, { job: jobName })),
    ),
  };
}

/** A template whose jobs behave as they are told, each by its own name. */
export function templateOf(name: string, handlers: BehavingHandlers): JobTemplate {
  return {
    name,
    configuration: resolveJobOptions({ name, shardingTotalCount: 1 }, { place: 'interop' }),
    place: 'interop',
    handler: (context) => handlers.handlerOf(context.jobName)(context),
  };
}
