/** The mere fact behind all differences. */
class JavaPresence {
  /** @param hasJava an instance without our label is registered */
  constructor(readonly hasJava: boolean) {}
}

/**
 * Differences that Java peers of a job make, each as one question. The answer to all of them is yes as long as the job
 * has a Java peer, and no otherwise; call sites name the difference that they mean. "What changes beside Java" in
 * docs/interop.md says what our instances do then; a test compares both lists.
 *
 * A company is a value: it says who was there when it was asked for. Ask the tree for it each time.
 */
export class Company extends JavaPresence {
  /** Java lacks some settings and values of ours, and goes by its defaults instead. It records no end either. */
  readonly knowsFewerSettings = this.hasJava;

  /** Java's fire times follow Quartz's rule when the clocks change. */
  readonly firesByQuartz = this.hasJava;

  /** Java looks whether leadership or a queued item is free, takes it in later writes, and holds a latch meanwhile. */
  readonly takesUnderLatch = this.hasJava;

  /** A Java leader acts on what happens while it leads, and overlooks what came before or during its own plan. */
  readonly overlooksChanges = this.hasJava;

  /** Java looks at the resharding flag only when a trigger comes; its leader makes the plan then. */
  readonly plansOnTrigger = this.hasJava;

  /** A Java leader makes the plan only while nobody runs an item, and waits for that. */
  readonly plansWhenIdle = this.hasJava;

  /** Java asks the server for the resharding flag, but a cache for its items, which reads the owners a moment later. */
  readonly readsOwnersLate = this.hasJava;

  /** Java runs items without a record: records do not tell for which fire time an item ran last. */
  readonly runsUnrecorded = this.hasJava;

  /**
   * Java tells the end of a run by the running mark that goes. A record that is written costs each Java peer two
   * requests and tells it nothing.
   */
  readonly endsByMark = this.hasJava;

  /** Java creates, replaces and deletes marks of an item that it does not run, and leaves its record as it is. */
  readonly changesMarksAlone = this.hasJava;

  /** A trigger of Java drops the items that are failed over just then, and does not come back to them. */
  readonly dropsTakenItems = this.hasJava;

  /** Java writes its server node before its instance node, and removes servers without instances when it starts. */
  readonly removesServers = this.hasJava;
}

const OURS_ALONE = new Company(false);
const BESIDE_JAVA = new Company(true);

/** The company of a job that has a Java peer, or none. It is asked for at every trigger: nothing is allocated. */
export function companyOf(hasJava: boolean): Company {
  return hasJava ? BESIDE_JAVA : OURS_ALONE;
}
