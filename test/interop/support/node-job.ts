import { type JobOptions, resolveJobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import type { JobDefinition } from '../../../libs/elastic-job/src/runtime/index.js';
import type { BehavingHandlers } from './behaving-handlers.js';
import { JOB_CLASS, type JobSpec } from './job-spec.js';

/** Ours is Java's job under our names, with what Java cannot share switched off. */
export function definitionOf(spec: JobSpec, handlers: BehavingHandlers): JobDefinition {
  const { jobName, jobShardingStrategyType: strategy, ...same } = spec;
  const options: JobOptions = { ...same, name: jobName, clockChange: 'quartz', ...(strategy && { strategy }) };
  return {
    configuration: resolveJobOptions(options, { place: 'interop' }),
    className: JOB_CLASS,
    place: 'interop',
    handler: handlers.handlerOf(jobName),
  };
}
