import type { Clock } from '../../clock/index.js';
import type { JobTree } from '../../coordination/index.js';
import type { Trigger } from '../../domain/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings } from './job-settings.js';
import { TimeCheck } from './time-check.js';

/** Whether something may be begun here, and why not. What it refuses it tells as skipped. */
export class TriggerGate {
  private readonly timeCheck: TimeCheck;
  private isClosed = false;

  constructor(
    private readonly tree: JobTree,
    private readonly settings: JobSettings,
    private readonly events: JobEvents,
    clock: Clock,
  ) {
    this.timeCheck = new TimeCheck(tree, clock, events);
  }

  /** Why nothing is begun by this clock; undefined if it is to be trusted. */
  get problem(): Error | undefined {
    return this.timeCheck.problem;
  }

  /**
   * The last fire time that was refused for the clock's sake: it is not made up for. In milliseconds since the epoch.
   */
  get skippedUntil(): number {
    return this.timeCheck.skippedUntil;
  }

  /** This instance stays, and the settings can be used. */
  get mayBegin(): boolean {
    return !this.isClosed && this.settings.problem === undefined;
  }

  /** What no trigger has asked this instance for may be begun too: to make up for it, or to take it over. */
  get mayBeginUnasked(): boolean {
    return this.mayBegin && this.settings.unshareable(this.tree).length === 0;
  }

  /** For ever. */
  close(): void {
    this.isClosed = true;
  }

  /** Tells if the trigger must not be run, whatever its items. */
  async refuses(trigger: Trigger): Promise<boolean> {
    const reason = this.unshareable() ?? this.unusable();
    if (reason !== undefined) return this.skip(trigger, reason);
    return this.timeCheck.refuses(trigger, this.settings.configuration.maxTimeDiffSeconds);
  }

  /** Tells if the trigger must not be run because an operator has disabled this server. As of the last sync. */
  refusesServer(trigger: Trigger): boolean {
    const { serverIp } = this.tree.self;
    return this.tree.serverStatus(serverIp) !== 'ENABLED' && this.skip(trigger, `server ${serverIp} is disabled`);
  }

  /** Tells if an operator's trigger must not be run because the items run anyway. @see ElasticJob-Cloud, DAEMON */
  refusesResident(trigger: Trigger): boolean {
    return (
      this.settings.configuration.resident && this.skip(trigger, 'the job is resident: its items run at all times')
    );
  }

  private unshareable(): string | undefined {
    const settings = this.settings.unshareable(this.tree);
    return settings.length === 0
      ? undefined
      : `not shared with ${this.tree.peers().join(', ')}: ${settings.join('; ')}`;
  }

  private unusable(): string | undefined {
    return this.settings.problem === undefined ? undefined : 'the configuration in the registry cannot be used';
  }

  private skip(trigger: Trigger, reason: string): true {
    this.events.emit({ kind: 'skipped', trigger, reason });
    return true;
  }
}
