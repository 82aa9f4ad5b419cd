import { commonProtocol, countWhile, ID_DELIMITER, inDescendingOrder } from '../../domain/index.js';
import type { RegisteredInstance } from './instance-text.js';

/**
 * Registered instances of a job, in Java's order, and what follows from them. They are kept one by one as they come and
 * go: what a thousand newcomers in a row cost grows with their number, and not with its square.
 */
export class Members {
  private list: RegisteredInstance[];
  /** True once the list was given away: it is copied before it changes again. */
  private isGiven = false;
  /** Number of instances without our label. */
  private javaPeers = 0;
  private knownPeers: readonly string[] | undefined;
  private knownProtocol: number | undefined;

  constructor(instances: readonly RegisteredInstance[]) {
    const byId = new Map(instances.map((instance) => [instance.jobInstanceId, instance]));
    this.list = inDescendingOrder(byId.keys()).map((id) => byId.get(id)!);
    this.javaPeers = this.list.filter(({ isOurs }) => !isOurs).length;
  }

  /** All of them, in Java's order. The list does not change any more. */
  get all(): readonly RegisteredInstance[] {
    this.isGiven = true;
    return this.list;
  }

  /** True if there are instances without our label. */
  get hasJava(): boolean {
    return this.javaPeers > 0;
  }

  /** Ids of the instances without our label, in Java's order. */
  get peers(): readonly string[] {
    this.knownPeers ??= this.list.flatMap(({ isOurs, jobInstanceId }) => (isOurs ? [] : jobInstanceId));
    return this.knownPeers;
  }

  /** Newest protocol that all instances of ours know. */
  get protocol(): number {
    this.knownProtocol ??= commonProtocol(this.list.flatMap(({ protocol }) => protocol ?? []));
    return this.knownProtocol;
  }

  of(instanceId: string): RegisteredInstance | undefined {
    const instance = this.list[this.placeOf(instanceId)];
    return instance?.jobInstanceId === instanceId ? instance : undefined;
  }

  /** True if an instance of this address is registered. */
  hasAt(serverIp: string): boolean {
    const prefix = `${serverIp}${ID_DELIMITER}`;
    // Ids that begin with it are all greater than it, and stand together.
    return this.list[this.placeOf(prefix) - 1]?.jobInstanceId.startsWith(prefix) === true;
  }

  /** Adds an instance, or replaces what is known of it; without a value it has gone. */
  note(instanceId: string, instance: RegisteredInstance | undefined): void {
    const place = this.placeOf(instanceId);
    const former = this.list[place]?.jobInstanceId === instanceId ? this.list[place] : undefined;
    if (former === undefined && instance === undefined) return;
    if (this.isGiven) this.list = [...this.list];
    this.isGiven = false;
    this.list.splice(place, former === undefined ? 0 : 1, ...(instance === undefined ? [] : [instance]));
    this.javaPeers += (instance?.isOurs === false ? 1 : 0) - (former?.isOurs === false ? 1 : 0);
    this.knownPeers = undefined;
    this.knownProtocol = undefined;
  }

  /** Place of the id in the list, or the one at which it would stand. */
  private placeOf(instanceId: string): number {
    return countWhile(this.list, ({ jobInstanceId }) => jobInstanceId > instanceId);
  }
}
