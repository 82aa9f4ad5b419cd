import type { CoordinationServices, ExecutionLease } from '../../../libs/elastic-job/src/coordination/index.js';
import { JOB, type Member, Registry, SUCCEEDED } from './member.js';
import {
  InstanceRemovedError,
  type JobConfiguration,
  LeftJobError,
  type TaskLife,
} from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { JobEvents, type JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import { JobPresence } from '../../../libs/elastic-job/src/runtime/job/job-presence.js';
import type { JobEntry } from '../../../libs/elastic-job/src/runtime/job/job-entry.js';
import type { WorkErrors } from '../../../libs/elastic-job/src/runtime/news/own-work.js';
import { JobDeparture } from '../../../libs/elastic-job/src/runtime/job/job-departure.js';
import type { JobSession } from '../../../libs/elastic-job/src/runtime/job/job-session.js';
import { RunningItems } from '../../../libs/elastic-job/src/runtime/runs/running-items.js';
import type { ResolvedRuntimeOptions } from '../../../libs/elastic-job/src/runtime/settings/runtime-options.js';

export const DRAIN_MS = 10_000;
export const LEFT = new LeftJobError(JOB);

/** A process that has joined a job, and its departure from it. */
export class LeavingJob {
  readonly departure: JobDeparture;
  readonly told: JobEvent[] = [];
  private readonly reports: string[] = [];
  /** Reasons for which the session was lost. */
  readonly lost: unknown[] = [];
  stops = 0;
  readonly presence: JobPresence;
  readonly definition: { readonly configuration: JobConfiguration; tasks?: TaskLife };
  readonly settings: { configuration: JobConfiguration };
  readonly running = new RunningItems();
  private readonly session: JobSession;

  /** @param member the instance that leaves */
  constructor(
    readonly registry: Registry,
    readonly operator: RegistryCenter,
    readonly member: Member,
  ) {
    const { configurations, instances, leader, sharding, tree } = member;
    const configuration = configurations.current(JOB);
    this.definition = { configuration };
    this.settings = { configuration };
    const parts = { configurations, instances, leader, sharding };
    const services: CoordinationServices = Object.assign(Object.create(null), parts);
    const resolved = { clock: registry.clock, drainTimeoutMs: DRAIN_MS };
    const options: ResolvedRuntimeOptions = Object.assign(Object.create(null), resolved);
    this.session = Object.assign(Object.create(null), { tree });
    const events = new JobEvents();
    events.on((event) => void this.told.push(event));
    const errors: WorkErrors = Object.assign(Object.create(null), {
      report: (_jobName: string, message: string) => void this.reports.push(message.replace(' failed', '')),
    });
    const shared = { services, events, options };
    this.presence = new JobPresence(JOB, Object.assign(Object.create(null), { errors }));
    this.presence.wait(this.session);
    const entry: JobEntry = Object.assign(Object.create(null), {
      stopBeginning: () => (this.stops += 1),
      loseSession: (reason: unknown) => void this.lost.push(reason),
    });
    const { definition, presence, running, settings } = this;
    this.departure = new JobDeparture(shared, definition, settings, running, presence, entry);
  }

  /** The only instance, which leads and has all items. */
  static async ofOne(): Promise<LeavingJob> {
    const { registry, operator, member } = await Registry.ofOne();
    return new LeavingJob(registry, operator, member);
  }

  /** The error of an instance that an operator has removed. */
  get removed(): InstanceRemovedError {
    return new InstanceRemovedError(JOB, this.member.id, 5_000);
  }

  /** @returns reports of failed work since the last call */
  takeReports(): readonly string[] {
    return this.reports.splice(0);
  }

  /** @throws if work has failed that no spec has asked for */
  assertQuiet(): void {
    if (this.reports.length > 0) throw new Error(`failed: ${this.reports.join(', ')}`);
  }

  /** Begins an item. */
  async run(): Promise<ExecutionLease> {
    const { lease } = await this.member.begin([0]);
    this.running.add(lease!);
    return lease!;
  }

  /** Ends the item. */
  async end(lease: ExecutionLease): Promise<void> {
    lease.settle(0, SUCCEEDED);
    await lease.settled();
    this.running.endLease(0, lease);
    await this.rest();
  }

  /** Deletes the instance node as an operator, and informs the process. */
  async remove(): Promise<void> {
    await this.operator.delete(this.member.tree.paths.instance(this.member.id));
    await this.rest();
    void this.departure.obeyRemoval(this.member.id);
    await this.rest();
  }

  rest(): Promise<void> {
    return this.registry.clock.advance(0);
  }

  /** Nodes of the instance in the registry. */
  async nodes(): Promise<readonly string[]> {
    const { id, tree } = this.member;
    const own = { leader: tree.paths.leader, instance: tree.paths.instance(id), session: tree.paths.session(id) };
    const found: string[] = [];
    for (const [name, path] of Object.entries(own)) if (await this.operator.exists(path)) found.push(name);
    return found;
  }
}
