import { commonProtocol, countWhile, ID_DELIMITER, inDescendingOrder } from '../../domain/index.js';
import type { RegisteredInstance } from './node-texts.js';

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

  /** Ids of the instances that do not have an ability, in Java's order: Java's, and those of releases before it. */
  without(ability: string): readonly string[] {
    return this.list.flatMap(({ can, jobInstanceId }) => (can.includes(ability) ? [] : jobInstanceId));
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

/** The one fact behind all differences. */
class JavaPresence {
  /** @param hasJava true if an instance without our label is registered */
  constructor(readonly hasJava: boolean) {}
}

/**
 * Differences that Java peers of a job make, each as one question. All answers are yes while the job has a Java peer,
 * and no otherwise; call sites name the difference that they mean. "What changes beside Java" in docs/interop.md says
 * how our instances react; a test compares both lists.
 *
 * A company is a value of the moment at which it was read, so read it from the tree each time.
 */
export class Company extends JavaPresence {
  /** Java lacks some of our settings and values, and uses its defaults instead. It records no end either. */
  readonly knowsFewerSettings = this.hasJava;

  /** Java's fire times follow Quartz's rule when the clocks change. */
  readonly firesByQuartz = this.hasJava;

  /** Java checks that leadership or a queued item is free, takes it in later writes, and holds a latch meanwhile. */
  readonly takesUnderLatch = this.hasJava;

  /** A Java leader reacts only to events while it leads, and overlooks those from before or during its own plan. */
  readonly overlooksChanges = this.hasJava;

  /** Java checks the resharding flag only when a trigger comes, and its leader makes the plan then. */
  readonly plansOnTrigger = this.hasJava;

  /** Java plans by its average allocation if the registry names no strategy that it knows. */
  readonly plansByAverage = this.hasJava;

  /** A Java leader waits until no item runs before it makes the plan. */
  readonly plansWhenIdle = this.hasJava;

  /**
   * Java reads the resharding flag from the server, but its items from a cache, which learns the owners a moment later.
   */
  readonly readsOwnersLate = this.hasJava;

  /** Java runs items without a record, so records do not show the last fire time of an item. */
  readonly runsUnrecorded = this.hasJava;

  /**
   * Java signals the end of a run by removing the running mark. A record write costs each Java peer two requests and
   * tells it nothing.
   */
  readonly endsByMark = this.hasJava;

  /** Java creates, replaces and deletes marks of items that it does not run, and leaves their records unchanged. */
  readonly changesMarksAlone = this.hasJava;

  /** A trigger of Java skips items that are being failed over, and does not come back to them. */
  readonly dropsTakenItems = this.hasJava;

  /** Java writes its server node before its instance node, and removes servers without instances when it starts. */
  readonly removesServers = this.hasJava;
}

const OURS_ALONE = new Company(false);
const BESIDE_JAVA = new Company(true);

/** Company of a job with or without a Java peer. It is read at every trigger, so nothing is allocated. */
export function companyOf(hasJava: boolean): Company {
  return hasJava ? BESIDE_JAVA : OURS_ALONE;
}
