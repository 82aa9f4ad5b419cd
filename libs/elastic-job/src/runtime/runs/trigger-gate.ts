import type { JobTree } from '../../coordination/index.js';
import { clockOffsetMs, fewNames, TimeDifferenceError, type Trigger } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings } from '../settings/index.js';

/** Decides if something may begin here. Every refusal is reported as skipped, with the reason. */
export class TriggerGate {
  /** Judges this clock, as far as triggers have asked. */
  readonly timeCheck: TimeCheck;
  private isClosed = false;

  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly events: JobEvents,
  ) {
    this.timeCheck = new TimeCheck(tree, events);
  }

  /** True if this instance stays and its settings are usable. */
  get mayBegin(): boolean {
    return !this.isClosed && this.settings.problem === undefined;
  }

  /** True if items may also begin without a trigger of this instance: in a catch-up or a claim. */
  get mayBeginUnasked(): boolean {
    return this.mayBegin && this.settings.unshareable(this.tree).length === 0;
  }

  /** Closes the gate for ever. */
  close(): void {
    this.isClosed = true;
  }

  /** True if the trigger must not run, regardless of its items. */
  async refuses(trigger: Trigger): Promise<boolean> {
    const { settings, tree } = this;
    const unshareable = settings.unshareable(tree);
    if (unshareable.length > 0)
      return this.skip(trigger, `peers ${fewNames(tree.peers())} do not support: ${unshareable.join('; ')}`);
    if (settings.problem !== undefined) return this.skip(trigger, 'the configuration in the registry cannot be used');
    return this.timeCheck.refuses(trigger, settings.configuration.maxTimeDiffSeconds);
  }

  /** True if the trigger must not run because an operator has disabled this server, as of the last sync. */
  refusesServer(trigger: Trigger): boolean {
    const { tree } = this;
    const { serverIp } = tree.self;
    return tree.serverStatus(serverIp) !== 'ENABLED' && this.skip(trigger, `server ${serverIp} is disabled`);
  }

  /** True if an operator's trigger must not run because the items run at all times. @see ElasticJob-Cloud, DAEMON */
  refusesResident(trigger: Trigger): boolean {
    const { resident } = this.settings.configuration;
    return resident && this.skip(trigger, 'the job is resident: its items run at all times');
  }

  private skip(trigger: Trigger, reason: string): true {
    this.events.emit({ kind: 'skipped', trigger, reason });
    return true;
  }
}

/**
 * Compares this process's clock with the registry's before a trigger runs. Asks the registry if its time is unknown or
 * too different.
 * @see ElasticJob, `ConfigurationService.checkMaxTimeDiffSecondsTolerable`; there the run goes on
 */
export class TimeCheck {
  private found: TimeDifferenceError | undefined;
  private skipped = 0;

  constructor(
    private readonly tree: JobTree,
    private readonly events: Pick<JobEvents, 'emit'>,
  ) {}

  /** Result of the last measurement; undefined if the difference was tolerable. */
  get problem(): TimeDifferenceError | undefined {
    return this.found;
  }

  /** Last fire time that was refused and is not caught up on, in milliseconds since the epoch. */
  get skippedUntil(): number {
    return this.skipped;
  }

  /**
   * Measures, and returns true if the trigger must not run. Works from memory if that shows a tolerable difference.
   * @param maxTimeDiffSeconds negative: unlimited
   */
  async refuses(trigger: Trigger, maxTimeDiffSeconds: number): Promise<boolean> {
    this.found = maxTimeDiffSeconds < 0 ? undefined : await this.measure(maxTimeDiffSeconds);
    if (this.found === undefined) return false;
    if (trigger.origin === 'schedule') this.skipped = Math.max(this.skipped, trigger.fireTime);
    const { jobName, message } = this.found;
    this.events.emit({ kind: 'skipped', trigger, reason: message });
    this.events.emit({ kind: 'error', jobName, message: 'a trigger was not run', error: this.found });
    return true;
  }

  private async measure(maxTimeDiffSeconds: number): Promise<TimeDifferenceError | undefined> {
    const { jobName, registry, signal } = this.tree;
    const isTolerable = (ms: number | undefined) => ms !== undefined && Math.abs(ms) <= maxTimeDiffSeconds * 1_000;
    if (isTolerable(this.differenceMs)) return undefined;
    await registry.serverTime({ signal });
    const { differenceMs = 0 } = this;
    return isTolerable(differenceMs) ? undefined : new TimeDifferenceError(jobName, differenceMs, maxTimeDiffSeconds);
  }

  /** Undefined if unknown. */
  private get differenceMs(): number | undefined {
    const time = this.tree.registry.time();
    return time && Math.round(clockOffsetMs(this.tree.clock.wallNow(), time));
  }
}
