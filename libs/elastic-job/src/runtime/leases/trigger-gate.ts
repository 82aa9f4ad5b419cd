// Covered by test/scenario/mixed-runs.spec.ts
import type { Trigger } from '../../domain/index.js';
import type { JobContext } from './job-context.js';
import { TimeCheck } from './time-check.js';

/** Whether something may be begun here, and why not. What it refuses it tells as skipped. */
export class TriggerGate {
  /** Whether this clock is to be trusted, as far as triggers have asked. */
  readonly timeCheck: TimeCheck;
  private isClosed = false;

  constructor(private readonly context: JobContext) {
    this.timeCheck = new TimeCheck(context);
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
    const { settings, tree } = this.context;
    const unshareable = settings.unshareable(tree);
    if (unshareable.length > 0)
      return this.skip(trigger, `not shared with ${tree.peers().join(', ')}: ${unshareable.join('; ')}`);
    if (settings.problem !== undefined) return this.skip(trigger, 'the configuration in the registry cannot be used');
    return this.timeCheck.refuses(trigger, settings.configuration.maxTimeDiffSeconds);
  }

  /** Tells if the trigger must not be run because an operator has disabled this server. As of the last sync. */
  refusesServer(trigger: Trigger): boolean {
    const { tree } = this.context;
    const { serverIp } = tree.self;
    return tree.serverStatus(serverIp) !== 'ENABLED' && this.skip(trigger, `server ${serverIp} is disabled`);
  }

  /** Tells if an operator's trigger must not be run because the items run anyway. @see ElasticJob-Cloud, DAEMON */
  refusesResident(trigger: Trigger): boolean {
    const { resident } = this.context.settings.configuration;
    return resident && this.skip(trigger, 'the job is resident: its items run at all times');
  }

  private skip(trigger: Trigger, reason: string): true {
    this.context.events.emit({ kind: 'skipped', trigger, reason });
    return true;
  }
}
