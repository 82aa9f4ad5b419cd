import { fewNames, type Trigger } from '../../domain/index.js';
import type { JobTree } from '../../coordination/index.js';
import type { JobEvents } from '../../tracing/index.js';
import type { JobSettings } from '../settings/index.js';
import { TimeCheck } from './time-check.js';

/** Decides if something may begin here. Every refusal is told as skipped, with the reason. */
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
  refuses(trigger: Trigger): boolean | Promise<boolean> {
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
