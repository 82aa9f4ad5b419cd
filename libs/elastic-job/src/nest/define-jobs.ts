import { Inject, Injectable, Optional } from '@nestjs/common';
import { inOwnContext } from '../async-context/index.js';
import {
  ConfigurationError,
  defaultsOfTemplate,
  findNearestName,
  type JobName,
  type JobOptions,
  type JobProps,
  resolveJobOptions,
  resolveTemplateLimits,
  show,
  type TemplateLimits,
} from '../domain/index.js';
import { findDataflowFaults, workOfType } from '../executor/index.js';
import { ElasticJobRuntime, type JobDefinition, type JobTemplate } from '../runtime/index.js';
import type { PlacedJob, TaskScheduler } from './cloud/task-scheduler.js';
import { JOBS, TEMPLATES } from './elastic-job.decorator.js';
import type { FoundJob } from './provider-classes.js';
import { HandlerFactory } from './handler.factory.js';
import { JobExplorer } from './job.explorer.js';
import { ELASTIC_JOB_OPTIONS, ELASTIC_JOB_TASK, TASK_SCHEDULER } from './module-definition.js';
import type { JobOverrides } from './module-options.js';
import type { ResolvedModuleOptions } from './resolve-module-options.js';
import { ScheduleListing } from './schedule.listing.js';

/** Place of a job without a class. */
const TYPED = 'module options';

/** Declares the application's jobs and templates to its runtime. */
@Injectable()
export class JobDeclarations {
  private hasTemplates = false;

  constructor(
    private readonly runtime: ElasticJobRuntime,
    private readonly explorer: JobExplorer,
    private readonly handlers: HandlerFactory,
    private readonly listing: ScheduleListing,
    @Inject(ELASTIC_JOB_OPTIONS) private readonly options: ResolvedModuleOptions,
    @Optional() @Inject(TASK_SCHEDULER) private readonly tasks?: TaskScheduler,
    @Optional() @Inject(ELASTIC_JOB_TASK) private readonly isInTask = false,
  ) {}

  /** True if the process has jobs or templates, or takes jobs from a tree. */
  get hasJobs(): boolean {
    return this.hasTemplates || this.tasks !== undefined || this.runtime.registrar.jobs.length > 0;
  }

  /** @throws {ConfigurationError} for a wrong setting of a job */
  async declare(): Promise<void> {
    await this.listing.open();
    for (const definition of defineJobs(this.explorer.explore(JOBS), this.handlers, this.options)) {
      await this.runtime.registrar.register(this.placed(definition));
    }
    const templates = defineTemplates(this.explorer.explore(TEMPLATES), this.handlers, this.options);
    this.hasTemplates = templates.length > 0;
    for (const template of templates) this.runtime.templates.declare(this.placed(template));
  }

  /** Assigns the place where its items run: this process, or tasks. */
  private placed<Definition extends PlacedJob>(definition: Definition): Definition {
    const { configuration, place } = definition;
    if (configuration.executor === undefined || this.isInTask) return definition;
    if (this.tasks !== undefined) return this.tasks.schedule(definition);
    throw new ConfigurationError(`job "${configuration.jobName}" (${place})`, [
      'executor "task" needs a backend: import ElasticJobCloudModule.forRoot({ backend }) of nestjs-elastic-job/cloud',
    ]);
  }
}

/**
 * Defines the jobs of decorators and module. The module's `jobs` override the decorators; an entry with a type is a job
 * without a class.
 * @throws {ConfigurationError} for a wrong option of a job, and for a name in `jobs` that no job has.
 */
function defineJobs(
  found: readonly FoundJob[],
  handlers: HandlerFactory,
  options: ResolvedModuleOptions,
): readonly JobDefinition[] {
  const decorated = found.map((job) => job.options.name);
  const typed = Object.keys(options.jobs).filter((name) => options.jobs[name]?.type && !decorated.includes(name));
  refuseUnknownNames(options.jobs, [...decorated, ...typed]);
  return [
    ...found.map((job) => defineFound(job, handlers, options)),
    ...typed.map((name) => defineTyped(name, options)),
  ];
}

function defineFound(job: FoundJob, handlers: HandlerFactory, options: ResolvedModuleOptions): JobDefinition {
  const { name } = job.options;
  const place = `job "${name}" (${job.place})`;
  const { type, ...overrides } = options.jobs[name] ?? {};
  const problem = `type ${show(type)}: the job has a class already; give one of them another name`;
  if (type) throw new ConfigurationError(place, [problem]);
  const merged = override(job.options, overrides);
  return {
    configuration: resolveJobOptions(merged, { place, ...commonOf(options) }),
    className: merged.className ?? job.place,
    place: job.place,
    handler: handlers.create(job),
    findPropsFaults: job.isDataflow ? findDataflowFaults : undefined,
  };
}

/** The part of the module's options that every job's options are completed with. */
function commonOf({ strategies, cronDialect, defaults }: ResolvedModuleOptions) {
  return { strategies, cronDialect, defaults };
}

/**
 * Defines the templates, which have names of their own.
 * @throws {ConfigurationError} for a wrong option
 */
function defineTemplates(
  found: readonly FoundJob[],
  handlers: HandlerFactory,
  options: ResolvedModuleOptions,
): readonly JobTemplate[] {
  const common = commonOf(options);
  const defaults = defaultsOfTemplate(common.defaults);
  return found.map((template) => {
    const resolved = asTemplate(template.options);
    const { name, maxItems, maxJobs, minIntervalMs, maxConfigBytes, findPropsFaults: rule, ...own } = resolved;
    const place = `template "${name}" (${template.place})`;
    const findPropsFaults = typeof rule === 'function' ? (props: JobProps) => inOwnContext(() => rule(props)) : rule;
    return {
      name,
      configuration: resolveJobOptions({ ...own, name }, { place, ...common, defaults }),
      limits: resolveTemplateLimits(name, { maxItems, maxJobs, minIntervalMs, maxConfigBytes, findPropsFaults }, place),
      place: template.place,
      handler: handlers.create(template),
      findPropsFaults: template.isDataflow ? findDataflowFaults : undefined,
    };
  });
}

/** `ElasticJobTemplate` keeps the limits of a template beside the options of its jobs. */
function asTemplate(options: FoundJob['options']): FoundJob['options'] & TemplateLimits {
  return options;
}

function defineTyped(name: JobName, options: ResolvedModuleOptions): JobDefinition {
  const place = `job "${name}" (${TYPED})`;
  const { jobs, jobTypes } = options;
  const { type, shardingTotalCount, ...own } = jobs[name] ?? {};
  const jobType = jobTypes.find((known) => known.type === type);
  if (jobType === undefined) throw new ConfigurationError(place, [describeUnknownType(type, jobTypes)]);
  return {
    configuration: resolveJobOptions(
      { ...own, name, shardingTotalCount: shardingTotalCount! },
      { place, ...commonOf(options) },
    ),
    className: own.className ?? jobType.type,
    place: TYPED,
    ...workOfType(jobType),
  };
}

function describeUnknownType(type: unknown, jobTypes: ResolvedModuleOptions['jobTypes']): string {
  const known = jobTypes.map((jobType) => jobType.type).join(', ');
  const remedy = 'add others to jobTypes, such as new ScriptJobType() of nestjs-elastic-job/script';
  return `type must be one of ${known}, but is ${show(type)}; ${remedy}`;
}

/** An undefined override, such as an environment variable that is not set, changes nothing. */
function override(options: JobOptions, overrides: JobOverrides): JobOptions {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(given), name: options.name };
}

function refuseUnknownNames(jobs: ResolvedModuleOptions['jobs'], known: readonly string[]): void {
  const problems = Object.keys(jobs)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const meant = findNearestName(name, known);
      const hint = meant ? `did you mean "${meant}"?` : `known are ${known.join(', ') || 'none'}`;
      return `jobs has "${name}", but no job is called so; ${hint}`;
    });
  if (problems.length > 0) throw new ConfigurationError('module options', problems);
}
