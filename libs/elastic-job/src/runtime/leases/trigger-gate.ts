// Covered by test/scenario/mixed-runs.spec.ts
import type { Trigger } from '../../domain/index.js';
import type { JobContext } from './job-context.js';
import { TimeCheck } from './time-check.js';

/** Whether something may be begun here, and why not. What it refuses it tells as skipped. */
export class TriggerGate {
  private readonly timeCheck: TimeCheck;
  private isClosed = false;

  constructor(private readonly context: JobContext) {
    this.timeCheck = new TimeCheck(context);
  }

  /** Why nothing is begun by this clock; undefined if it is to be trusted. */
  get problem(): Error | undefined {
    return this.timeCheck.problem;
  }

  /**
   * The last fire time that was refused for the clock's sake: it is not caught up on. In milliseconds since the epoch.
   */
  get skippedUntil(): number {
    return this.timeCheck.skippedUntil;
  }

  /** This instance stays, and the settings can be used. */
  get mayBegin(): boolean {
    return !this.isClosed && this.context.settings.problem === undefined;
  }

  /** What no trigger has asked this instance for may be begun too: to catch up on it, or to take it over. */
  get mayBeginUnasked(): boolean {
    return this.mayBegin && this.context.settings.unshareable(this.context.tree).length === 0;
  }

  /** For ever. */
  close(): void {
    this.isClosed = true;
  }

  /** Tells if the trigger must not be run, whatever its items. */
  async refuses(trigger: Trigger): Promise<boolean> {
    const reason = this.unshareable() ?? this.unusable();
    if (reason !== undefined) return this.skip(trigger, reason);
    return this.timeCheck.refuses(trigger, this.context.settings.configuration.maxTimeDiffSeconds);
  }

  /** Tells if the trigger must not be run because an operator has disabled this server. As of the last sync. */
  refusesServer(trigger: Trigger): boolean {
    const { serverIp } = this.context.tree.self;
    return (
      this.context.tree.serverStatus(serverIp) !== 'ENABLED' && this.skip(trigger, `server ${serverIp} is disabled`)
    );
  }

  /** Tells if an operator's trigger must not be run because the items run anyway. @see ElasticJob-Cloud, DAEMON */
  refusesResident(trigger: Trigger): boolean {
    return (
      this.context.settings.configuration.resident &&
      this.skip(trigger, 'the job is resident: its items run at all times')
    );
  }

  private unshareable(): string | undefined {
    const settings = this.context.settings.unshareable(this.context.tree);
    return settings.length === 0
      ? undefined
      : `not shared with ${this.context.tree.peers().join(', ')}: ${settings.join('; ')}`;
  }

  private unusable(): string | undefined {
    return this.context.settings.problem === undefined ? undefined : 'the configuration in the registry cannot be used';
  }

  private skip(trigger: Trigger, reason: string): true {
    this.context.events.emit({ kind: 'skipped', trigger, reason });
    return true;
  }
}
