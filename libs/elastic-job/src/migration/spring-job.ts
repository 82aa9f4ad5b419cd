import { readStored } from '../coordination/index.js';
import type { JobName } from '../domain/index.js';
import type { Findings } from './findings.js';
import type { ImportedJob } from './imported.js';
import { findFaults, optionsOf } from './options-of-stored.js';
import { BEAN_ADVICE, CLASS_ADVICE, UNKNOWN_ADVICE } from './remedies.js';
import { pathText, type Leaf } from './settings-tree.js';
import { groupOf, type Shape } from './spring-group.js';

/** Settings of a job in Spring Boot. @see ElasticJob, `ElasticJobConfigurationProperties` of every release 3.0.x */
const SHAPES: Readonly<Record<string, Shape>> = {
  elasticJobClass: 'word',
  elasticJobType: 'word',
  jobBootstrapBeanName: 'word',
  cron: 'word',
  timeZone: 'word',
  shardingTotalCount: 'word',
  shardingItemParameters: 'word',
  jobParameter: 'text',
  monitorExecution: 'word',
  failover: 'word',
  misfire: 'word',
  maxTimeDiffSeconds: 'word',
  reconcileIntervalMinutes: 'word',
  jobShardingStrategyType: 'word',
  jobExecutorServiceHandlerType: 'word',
  jobExecutorThreadPoolSizeProviderType: 'word',
  jobErrorHandlerType: 'word',
  jobListenerTypes: 'list',
  description: 'text',
  disabled: 'word',
  overwrite: 'word',
  props: 'texts by name',
};
/** Types of ElasticJob 3.0.x by which Spring finds a bean. Any other class is the user's, whatever its package. */
const JOB_TYPES = ['api.ElasticJob', 'simple.job.SimpleJob', 'dataflow.job.DataflowJob'].map(
  (type) => `org.apache.shardingsphere.elasticjob.${type}`,
);
const BUILT_IN_TYPES = ['HTTP', 'SCRIPT'];

/** The options of one of `elasticjob.jobs`. @param leaves with paths below the job */
export function importSpringJob(name: JobName, leaves: readonly Leaf[], findings: Findings): ImportedJob {
  const path = `elasticjob.jobs.${name}`;
  const { mapping, unknown, placeOf } = groupOf(findings, leaves, SHAPES);
  const start = leaves[0]?.at ?? 0;
  for (const { path: below, text, at } of unknown) {
    if (below.length === 0) findings.refuse(at, `${path} must be a mapping of settings, but is "${text}"`);
    else findings.leaveOut(`${path}.${pathText(below)}`, text, at, UNKNOWN_ADVICE);
  }
  const leaveOut = (key: string, value: string, advice: typeof UNKNOWN_ADVICE) =>
    findings.leaveOut(`${path}.${key}`, value, placeOf(key.replace(/\[\d+\]$/, '')) ?? start, advice);
  const [className, type] = [mapping.text('elasticJobClass'), mapping.text('elasticJobType')];
  if (className && type)
    findings.refuse(start, `${path} has elasticJobClass and elasticJobType; Java takes one of them`);
  const bean = mapping.text('jobBootstrapBeanName');
  if (bean) leaveOut('jobBootstrapBeanName', bean, BEAN_ADVICE);
  const isJobType = className !== undefined && JOB_TYPES.includes(className);
  if (isJobType) leaveOut('elasticJobClass', className, CLASS_ADVICE);
  const job: ImportedJob = {
    ...(type ? { type: typeOf(type) } : {}),
    ...(className && !isJobType ? { className } : {}),
    ...optionsOf(readStored(mapping, name), leaveOut),
  };
  findings.problems.push(...mapping.problems);
  if (mapping.problems.length > 0) return job;
  for (const fault of findFaults(name, job))
    findings.refuse(placeOf(/^\w*/.exec(fault)![0]) ?? start, `${path}.${fault}`);
  return job;
}

/** Java takes its types in any case. */
function typeOf(given: string): string {
  const type = given.toUpperCase();
  return BUILT_IN_TYPES.includes(type) ? type : given;
}
