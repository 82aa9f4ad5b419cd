import type { Clock, Timer } from '../../clock/index.js';
import { type FoundJob, JobRemovedError, readCreatedJobs, removeAbandoned } from '../../coordination/index.js';
import {
  ConfigurationError,
  createdRoot,
  findJobNameFault,
  type JobName,
  parseCreatedJob,
  type TemplateName,
  UnknownJobError,
} from '../../domain/index.js';
import type { ChildrenWatch, RegistryCenter } from '../../registry/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobDefinition, JobTemplate } from '../settings/index.js';
import type { WorkErrors } from '../news/index.js';
import { Reconciler, Reconcilers } from '../../repeat/index.js';
import { RestingJobs, type RestingTemplateJobs, UnjoinedJobs } from './resting-jobs.js';

/** Milliseconds for which changes are gathered, so that jobs created or removed in a row are looked at together. */
const GATHER_MS = 50;
/** Most jobs joined, left or deleted side by side, so that the event loop is not blocked. */
const JOBS_AT_ONCE = 50;
/** Pauses after failed attempts to join, leave or delete a job, in milliseconds. */
const PAUSES = { firstMs: 1_000, longestMs: 30_000 };
/** Milliseconds in which 50 marked jobs are looked at again, in each of which an instance was left. */
const LOOK_AGAIN_MS = 1_000;

/** Parts of the process that template jobs need. */
interface TemplateJobParts {
  readonly registry: RegistryCenter;
  readonly clock: Clock;
  readonly events: JobEvents;
  readonly errors: WorkErrors;
  /** Joins a job; rejects if that is not possible now. */
  join(definition: JobDefinition): Promise<void>;
  /** Leaves a job within the drain time. @throws {UnknownJobError} if it was left already */
  leave(jobName: JobName): Promise<void>;
}

/**
 * Keeps this process in the jobs that were created from its templates: joins them as they appear, leaves them when they
 * are to be removed, and deletes them once no instance is in them. A job is identified by its root's czxid: one that
 * was removed and created again is left and joined, however fast that was.
 *
 * Of a template with more jobs than its `maxJobs` the youngest rest: they are joined as others go.
 *
 * One watch reports the names in the namespace, and the roots are then read. A joined job is watched by its own tree. A
 * process without templates makes no request.
 *
 * The last instance that leaves a job finds it empty, and deletes it. In case that one dies, the others look again, 50
 * jobs a second: any writer of the registry can mark any number of roots, and put a node below each.
 *
 * A step that fails is repeated, after pauses that grow, until it is not wanted any more. A change of the job's root
 * ends the pause.
 */
export class TemplateJobs {
  private readonly templates = new Map<TemplateName, JobTemplate>();
  /** Jobs as of the last look. */
  private found = new Map<JobName, FoundJob>();
  /** Number of them that are to be removed. */
  private marked = 0;
  private readonly restingJobs: RestingJobs;
  private readonly unjoined = new UnjoinedJobs();
  /** Jobs that this process has joined, with the czxid of their roots. */
  private readonly joined = new Map<JobName, bigint>();
  private readonly steps: Reconcilers<JobName>;
  private readonly finding: Reconciler;
  private gathering: Timer | undefined;
  private session: AbortController | undefined;
  private watch: ChildrenWatch | undefined;

  constructor(private readonly parts: TemplateJobParts) {
    this.restingJobs = new RestingJobs(parts.events, (name) => this.templates.get(name)?.limits);
    this.steps = new Reconcilers({
      clock: parts.clock,
      atOnce: JOBS_AT_ONCE,
      pauses: PAUSES,
      work: (jobName, failures) => this.follow(jobName, failures),
      onFailure: (jobName, error) => this.report(jobName, error),
    });
    this.finding = new Reconciler(
      parts.clock,
      () => this.findJobs(),
      (error) => parts.errors.report(undefined, 'looking for jobs of templates failed', error),
    );
  }

  /** Declares a template, before the process starts. @throws {ConfigurationError} if the name is taken */
  declare(template: JobTemplate): void {
    const { name, place } = template;
    const other = this.templates.get(name);
    const fault = findJobNameFault(name);
    const problem = fault === undefined ? undefined : `name ${fault}`;
    const taken = other && `name "${name}": ${other.place} has it already; give one of them another name`;
    if (problem ?? taken) throw new ConfigurationError(`template "${name}" (${place})`, [(problem ?? taken)!]);
    this.templates.set(name, template);
  }

  /** A template of this process. */
  find(name: TemplateName): JobTemplate | undefined {
    return this.templates.get(name);
  }

  /** Jobs that this process has not joined: their templates have too many, or each attempt has failed so far. */
  get resting(): readonly RestingTemplateJobs[] {
    return [...this.restingJobs.all, ...this.unjoined.all];
  }

  /** Definition of a job from a template; undefined if this process has no template of that name. */
  definitionOf(jobName: JobName, name: TemplateName): JobDefinition | undefined {
    const template = this.templates.get(name);
    if (template === undefined) return undefined;
    const configuration = Object.freeze({ ...template.configuration, jobName });
    return { ...template, configuration, className: createdRoot(name), place: `${template.place}, template "${name}"` };
  }

  /** Starts with a session: looks for jobs now and whenever they may have changed. Never rejects. */
  async open(): Promise<void> {
    this.close();
    if (this.templates.size === 0) return;
    this.session = new AbortController();
    await this.finding.wakeAndWait();
  }

  /** Stops joining, leaving and deleting, because the session is over or the process stops. */
  close(): void {
    this.session?.abort();
    this.unjoined.clear();
    this.steps.clear();
    this.session = undefined;
    this.watch?.close();
    this.watch = undefined;
    this.gathering?.cancel();
    this.gathering = undefined;
    this.finding.rest();
  }

  /** Looks for jobs soon, since something may have changed. */
  findJobsSoon(): void {
    if (this.session === undefined || this.gathering !== undefined) return;
    this.gathering = this.parts.clock.setTimer(GATHER_MS, () => {
      this.gathering = undefined;
      this.finding.wake();
    });
  }

  private async findJobs(): Promise<void> {
    const { session } = this;
    if (session === undefined) return;
    const before = this.found;
    try {
      await this.readRoots(session.signal);
    } catch (error) {
      if (session.signal.aborted) return;
      throw error;
    }
    for (const jobName of new Set([...before.keys(), ...this.found.keys(), ...this.joined.keys()])) {
      if (!isSame(before.get(jobName), this.found.get(jobName))) this.steps.forget(jobName);
      if (this.isAsWanted(jobName)) this.unjoined.forget(jobName);
      else this.steps.wake(jobName);
    }
  }

  private async readRoots(signal: AbortSignal): Promise<void> {
    const { registry } = this.parts;
    this.watch ??= await registry.watchChildren('/', () => this.findJobsSoon(), { signal });
    this.found = await readCreatedJobs(registry, await registry.children('/', { signal }), { signal });
    this.marked = [...this.found.values()].filter(({ isBeingRemoved }) => isBeingRemoved).length;
    this.restingJobs.look(this.found);
  }

  /** One step towards what is wanted of a job. @returns milliseconds until the next one; undefined after the last */
  private async follow(jobName: JobName, failures: number): Promise<number | undefined> {
    const { session } = this;
    try {
      if (session && failures > 0) await this.readRoot(jobName, session.signal); // The last read may be outdated.
      if (session && !this.isAsWanted(jobName)) return await this.step(jobName, session.signal);
    } catch (error) {
      if (session?.signal.aborted) return 0; // The end of a session is no failure of the job.
      throw error;
    }
    this.unjoined.forget(jobName);
    return undefined;
  }

  private async step(jobName: JobName, signal: AbortSignal): Promise<number> {
    if (this.joined.has(jobName)) {
      await this.leave(jobName);
      return 0;
    }
    // A job that is neither joined nor there is as wanted.
    const found = this.found.get(jobName)!;
    if (found.isBeingRemoved) return this.deleteIfAbandoned(jobName, found, signal);
    await this.join(jobName, found);
    return 0;
  }

  /** True if there is nothing to do for the job. */
  private isAsWanted(jobName: JobName): boolean {
    const found = this.found.get(jobName);
    if (found?.isBeingRemoved) return false;
    return this.joined.get(jobName) === (this.takesPartIn(jobName, found) ? found?.czxid : undefined);
  }

  /** True if this process has the template, the template admits the job, and it is not one too many. */
  private takesPartIn(jobName: JobName, found: FoundJob | undefined): boolean {
    const template = found && this.templates.get(found.template);
    return template !== undefined && (template.admits?.(jobName) ?? true) && !this.restingJobs.has(jobName);
  }

  private async deleteIfAbandoned(jobName: JobName, found: FoundJob, signal: AbortSignal): Promise<number> {
    const isDeleted = await removeAbandoned(this.parts.registry, jobName, { signal });
    if (!isDeleted) return this.lookAgainMs;
    // News come of a job that was created again since then.
    if (this.found.get(jobName) === found) this.found.delete(jobName);
    return 0;
  }

  /** Grows with the number of marked jobs, and is spread, so that looks come at a steady rate. */
  private get lookAgainMs(): number {
    return LOOK_AGAIN_MS * Math.max(1, this.marked / JOBS_AT_ONCE) * (0.5 + this.parts.clock.random());
  }

  private async join(jobName: JobName, { template: name, czxid }: FoundJob): Promise<void> {
    const definition = this.definitionOf(jobName, name)!;
    const template = this.templates.get(name)!;
    try {
      await this.parts.join({
        ...definition,
        createdAs: czxid,
        onRootChanged: () => this.findJobsSoon(),
        onConfigurationChanged: (text) => template.onConfigurationOf?.(jobName, text),
      });
      this.joined.set(jobName, czxid);
      this.unjoined.forget(jobName);
    } catch (error) {
      this.unjoined.note(jobName, { template: name, error });
      throw error;
    }
  }

  private async leave(jobName: JobName): Promise<void> {
    try {
      await this.parts.leave(jobName);
    } catch (error) {
      if (!(error instanceof UnknownJobError)) throw error;
    }
    this.joined.delete(jobName);
  }

  /** Reads the root of one job again. */
  private async readRoot(jobName: JobName, signal: AbortSignal): Promise<void> {
    const root = await this.parts.registry.read(`/${jobName}`, { signal });
    const created = parseCreatedJob(root?.data ?? '');
    if (created === undefined) this.found.delete(jobName);
    else this.found.set(jobName, { ...created, czxid: root!.stat.czxid });
  }

  private report(jobName: JobName, error: unknown): void {
    if (error instanceof JobRemovedError) return; // This process is behind.
    this.parts.errors.report(jobName, 'following a job that was created from a template failed', error);
  }
}

function isSame(before: FoundJob | undefined, now: FoundJob | undefined): boolean {
  return before?.czxid === now?.czxid && before?.isBeingRemoved === now?.isBeingRemoved;
}
