import type { Clock, Timer } from '../../clock/index.js';
import { type FoundJob, JobRemovedError, readCreatedJobs } from '../../coordination/index.js';
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
import type { JobDefinition, JobTemplate } from '../job/index.js';
import type { WorkErrors } from '../leases/index.js';
import { BackOff, Reconciler } from '../../repeat/index.js';
import { AbandonedJobs, PAUSES } from './abandoned-jobs.js';
import { RestingJobs, type RestingTemplateJobs } from './resting-jobs.js';
import { UnjoinedJobs } from './unjoined-jobs.js';

/** Milliseconds for which changes are gathered, so that jobs created or removed in a row are looked at together. */
const GATHER_MS = 50;
/** Most jobs joined, left or deleted side by side, so that the event loop is not blocked. */
const JOBS_AT_ONCE = 50;

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
 */
export class TemplateJobs {
  private readonly templates = new Map<TemplateName, JobTemplate>();
  /** Jobs as of the last look. */
  private found = new Map<JobName, FoundJob>();
  private readonly restingJobs: RestingJobs;
  private readonly unjoined = new UnjoinedJobs();
  /** Jobs that this process was told to join, by the czxid of their roots. */
  private readonly joined = new Map<JobName, bigint>();
  /** Jobs with work under way, one step after the other. */
  private readonly following = new Set<JobName>();
  /** Those of them that pause after a failure. They are not counted: a job that always fails keeps no other waiting. */
  private readonly pausing = new Set<JobName>();
  /** Jobs that wait for a place, each with its next step. */
  private readonly waiting = new Map<JobName, () => void>();
  private readonly abandoned: AbandonedJobs;
  private readonly finding: Reconciler;
  private gathering: Timer | undefined;
  private session: AbortController | undefined;
  private watch: ChildrenWatch | undefined;

  constructor(private readonly parts: TemplateJobParts) {
    this.restingJobs = new RestingJobs(parts.events, (name) => this.templates.get(name)?.limits);
    this.abandoned = new AbandonedJobs(JOBS_AT_ONCE, {
      ...parts,
      onFailed: (jobName, error) => this.tell(jobName, error),
      onTurn: (jobName) => this.follow(jobName),
    });
    this.finding = new Reconciler(
      parts.clock,
      () => this.findJobs(),
      (error) => parts.errors.tell(undefined, 'looking for jobs of templates failed', error),
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
    this.abandoned.clear();
    this.session = undefined;
    this.watch?.close();
    this.watch = undefined;
    this.gathering?.cancel();
    this.gathering = undefined;
    this.finding.rest();
    this.goOnWaiting(() => true);
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
    try {
      await this.readRoots(session.signal);
    } catch (error) {
      if (session.signal.aborted) return;
      throw error;
    }
    for (const jobName of new Set([...this.found.keys(), ...this.joined.keys()])) this.follow(jobName);
  }

  private async readRoots(signal: AbortSignal): Promise<void> {
    const { registry } = this.parts;
    this.watch ??= await registry.watchChildren('/', () => this.findJobsSoon(), { signal });
    this.found = await readCreatedJobs(registry, await registry.children('/', { signal }), { signal });
    this.restingJobs.look(this.found);
  }

  private follow(jobName: JobName): void {
    if (this.session === undefined || this.following.has(jobName)) return;
    if (this.isAsWanted(jobName)) return this.abandoned.forget(jobName);
    if (this.abandoned.isLeft(jobName) && this.isToDelete(jobName)) return;
    if (!this.hasPlace) return void this.waiting.set(jobName, () => this.follow(jobName));
    this.following.add(jobName);
    void this.followUntilWanted(jobName).finally(() => {
      this.following.delete(jobName);
      this.follow(jobName);
      this.goOnWaiting();
    });
  }

  private get hasPlace(): boolean {
    return this.following.size - this.pausing.size < JOBS_AT_ONCE;
  }

  private goOnWaiting(mayGoOn = () => this.hasPlace): void {
    for (const [jobName, goOn] of this.waiting) {
      if (!mayGoOn()) return;
      this.waiting.delete(jobName);
      goOn();
    }
  }

  private async followUntilWanted(jobName: JobName): Promise<void> {
    const failed = new BackOff(this.parts.clock, PAUSES);
    for (;;) {
      const { session } = this;
      if (session === undefined || this.isAsWanted(jobName)) break;
      try {
        if (!this.isToDelete(jobName)) await this.step(jobName);
        else if (!(await this.isDeleted(jobName, session.signal))) break;
        failed.succeeded();
      } catch (error) {
        const isOutdated = error instanceof JobRemovedError;
        if (failed.failures === 0 && !isOutdated && !session.signal.aborted) this.tell(jobName, error);
        failed.failed();
        await this.pause(jobName, failed, session.signal);
        await this.readRoot(jobName, session.signal).catch(() => {}); // The next step shows if it matters.
      }
    }
    this.unjoined.forget(jobName);
  }

  private async pause(jobName: JobName, failed: BackOff, signal: AbortSignal): Promise<void> {
    this.pausing.add(jobName);
    this.goOnWaiting();
    await failed.pause(signal);
    await new Promise<void>((resolve) => {
      const goOn = () => {
        this.pausing.delete(jobName);
        resolve();
      };
      if (this.hasPlace || signal.aborted) goOn();
      else this.waiting.set(jobName, goOn);
    });
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

  /** True if the job is to be deleted, and this process is not in it. */
  private isToDelete(jobName: JobName): boolean {
    return this.found.get(jobName)?.isBeingRemoved === true && !this.joined.has(jobName);
  }

  private async step(jobName: JobName): Promise<void> {
    if (this.joined.has(jobName)) return this.leave(jobName);
    const found = this.found.get(jobName);
    if (found !== undefined) await this.join(jobName, found);
  }

  private async isDeleted(jobName: JobName, signal: AbortSignal): Promise<boolean> {
    const found = this.found.get(jobName);
    const isDeleted = await this.abandoned.isDeleted(jobName, signal);
    // A job that was created again since then is heard of.
    if (isDeleted && this.found.get(jobName) === found) this.found.delete(jobName);
    return isDeleted;
  }

  private async join(jobName: JobName, { template: name, czxid }: FoundJob): Promise<void> {
    const definition = this.definitionOf(jobName, name)!;
    const template = this.templates.get(name);
    this.joined.set(jobName, czxid);
    try {
      await this.parts.join({
        ...definition,
        createdAs: czxid,
        onRootChanged: () => this.findJobsSoon(),
        onConfigurationChanged: (text) => template?.onConfigurationOf?.(jobName, text),
      });
      this.unjoined.forget(jobName);
    } catch (error) {
      this.joined.delete(jobName);
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

  /** Reads the root again, as the last read may be outdated. */
  private async readRoot(jobName: JobName, signal: AbortSignal): Promise<void> {
    const root = await this.parts.registry.read(`/${jobName}`, { signal });
    const created = parseCreatedJob(root?.data ?? '');
    if (created === undefined) this.found.delete(jobName);
    else this.found.set(jobName, { ...created, czxid: root!.stat.czxid });
  }

  private tell(jobName: JobName, error: unknown): void {
    this.parts.errors.tell(jobName, 'following a job that was created from a template failed', error);
  }
}
