import { type GuaranteePhase, interned, type JobName } from '../../domain/index.js';
import {
  type ItemNodeName,
  type JobNode,
  OTHER,
  parseCancel,
  parseGuarantee,
  parseItem,
  parseItemNode,
  parseRerunNode,
} from './job-node.js';

/** Persistent nodes that an installation lays below the root, parents first. */
const LAID: ReadonlySet<string> = new Set([
  'instances',
  'servers',
  'sessions',
  'leader',
  'leader/election',
  'leader/election/term',
  'leader/sharding',
  'leader/failover',
  'leader/failover/items',
  'sharding',
]);

/** Paths that were asked for so far. */
type ItemPaths = { readonly item: string } & Partial<Record<ItemNodeName, string>>;

/**
 * Writes and parses all node paths of a job, in this one place. The tree is that of Apache ElasticJob
 * 3.0.x; `usable`, `term`, `sessions`, `departed`, `ended`, `cancel`, `dependents`, `counting`, `after`, `reruns` and
 * an item's `record`, `checkpoint` and `task` are ours.
 */
export class JobPaths {
  readonly root: string;
  readonly config: string;
  /** Last usable text of `config`, in force while the present one is unusable. */
  readonly usableConfig: string;
  readonly instances: string;
  readonly servers: string;
  readonly sessions: string;
  readonly election: string;
  readonly leader: string;
  readonly term: string;
  readonly shardingFlags: string;
  readonly reshardingFlag: string;
  /** Ephemeral; exists while a Java leader reshards. */
  readonly reshardingProcessing: string;
  readonly queue: string;
  readonly items: string;
  readonly cancels: string;
  /** Parent of the jobs that start after this one. Its data holds the progress of this job's runs. */
  readonly dependents: string;
  /** Its data holds the runs of other jobs after which this one has started, or for which it waits. */
  readonly after: string;
  private readonly belowItems: string;
  // Kept, since each trigger uses them often, and a new string would have to be hashed again.
  private readonly ofItems = new Map<number, ItemPaths>();
  // The last path that was parsed: a view and its listeners ask for the path of the same event.
  private lastPath = '';
  private lastNode = OTHER;

  constructor(readonly jobName: JobName) {
    this.root = interned(`/${jobName}`);
    this.config = interned(`${this.root}/config`);
    this.usableConfig = interned(`${this.root}/usable`);
    this.instances = interned(`${this.root}/instances`);
    this.servers = interned(`${this.root}/servers`);
    this.sessions = interned(`${this.root}/sessions`);
    this.election = interned(`${this.root}/leader/election`);
    this.leader = interned(`${this.election}/instance`);
    this.term = interned(`${this.election}/term`);
    this.shardingFlags = interned(`${this.root}/leader/sharding`);
    this.reshardingFlag = interned(`${this.shardingFlags}/necessary`);
    this.reshardingProcessing = interned(`${this.shardingFlags}/processing`);
    this.queue = interned(`${this.root}/leader/failover/items`);
    this.items = interned(`${this.root}/sharding`);
    this.belowItems = interned(`${this.items}/`);
    this.cancels = interned(`${this.root}/cancel`);
    this.dependents = interned(`${this.root}/dependents`);
    this.after = interned(`${this.root}/after`);
  }

  // Rarely used and therefore not kept, as a process has all paths of each of its jobs.

  /** Persistent nodes that each job has for as long as it exists, parents first; the root and `config` not included. */
  get laid(): readonly string[] {
    return Array.from(LAID, (name) => interned(`${this.root}/${name}`));
  }

  get triggers(): string {
    return `${this.root}/trigger`;
  }

  /** Parent of both phases. Its data holds the finished rounds. */
  get guarantees(): string {
    return `${this.root}/guarantee`;
  }

  /**
   * Ephemeral lock of the instance that alone counts the ended items of this job's runs, for the jobs that start after
   * it.
   */
  get countingLock(): string {
    return `${this.root}/counting`;
  }

  /** Parent of the open re-runs. */
  get reruns(): string {
    return `${this.root}/reruns`;
  }

  /** Ephemeral; address of the instance that runs next, under SINGLE_SHARDING_BALANCE. */
  get nextInstanceIp(): string {
    return `${this.root}/next-job-instance-ip`;
  }

  get departures(): string {
    return `${this.root}/departed`;
  }

  /** Its data holds what the records of items said that a smaller total has ended. */
  get ended(): string {
    return `${this.root}/ended`;
  }

  /** Curator's latch that Java holds during an election. */
  get electionLatch(): string {
    return `${this.election}/latch`;
  }

  /** Curator's latch that Java holds while it takes an item from the queue. */
  get failoverLatch(): string {
    return `${this.root}/leader/failover/latch`;
  }

  /** Its mtime shows the registry's clock. */
  get systemTime(): string {
    return `${this.root}/systemTime/current`;
  }

  instance(instanceId: string): string {
    return `${this.instances}/${instanceId}`;
  }

  session(instanceId: string): string {
    return `${this.sessions}/${instanceId}`;
  }

  server(serverIp: string): string {
    return `${this.servers}/${serverIp}`;
  }

  /** Its ctime is the time since which the address has had no instance. */
  departed(serverIp: string): string {
    return `${this.departures}/${serverIp}`;
  }

  /** Request for a run by one instance. */
  trigger(instanceId: string): string {
    return `${this.triggers}/${instanceId}`;
  }

  /** Request to the holder of an item to abort one run; its data names the run. */
  cancel(item: number): string {
    return `${this.cancels}/${item}`;
  }

  /** An open re-run: its data says which past fire times run once more, for which items. */
  rerun(id: string): string {
    return `${this.reruns}/${id}`;
  }

  /** How far an item has come with a re-run. */
  rerunItem(id: string, item: number): string {
    return `${this.rerun(id)}/${item}`;
  }

  guarantee(phase: GuaranteePhase): string {
    return `${this.guarantees}/${phase}`;
  }

  guaranteed(phase: GuaranteePhase, item: number): string {
    return `${this.guarantee(phase)}/${item}`;
  }

  /** Curator's latch that Java holds while the last item of a phase calls its listener. */
  guaranteeLatch(phase: GuaranteePhase): string {
    return `${this.guarantee(phase)}-latch`;
  }

  /** Marks a job that starts after this one. */
  dependent(jobName: JobName): string {
    return `${this.dependents}/${jobName}`;
  }

  queued(item: number): string {
    return `${this.queue}/${item}`;
  }

  item(item: number): string {
    return this.ofItem(item).item;
  }

  /**
   * Record of the item's last run by an instance of ours. It must stay a leaf: Java reads all children of a changed
   * node again.
   */
  record(item: number): string {
    return this.mark(item, 'record');
  }

  /** A node below an item: `instance` (the assigned owner), `running` (the holder), or one of the other marks. */
  mark(item: number, name: ItemNodeName): string {
    const paths = this.ofItem(item);
    return (paths[name] ??= interned(`${paths.item}/${name}`));
  }

  private ofItem(item: number): ItemPaths {
    let paths = this.ofItems.get(item);
    if (paths === undefined) this.ofItems.set(item, (paths = { item: interned(`${this.items}/${item}`) }));
    return paths;
  }

  parse(path: string): JobNode {
    if (path !== this.lastPath) {
      this.lastPath = path;
      this.lastNode = this.nodeAt(path);
    }
    return this.lastNode;
  }

  private nodeAt(path: string): JobNode {
    // The most frequent case comes first.
    if (path.startsWith(this.belowItems)) return parseItemNode(path, this.belowItems.length);
    const [first, second, third, ...rest] = path.slice(this.root.length + 1).split('/');
    if (first === 'config' && second === undefined) return { kind: 'config' };
    if (first === 'instances' && second !== undefined) return { kind: 'instance', instanceId: second };
    if (first === 'sessions' && second !== undefined) return { kind: 'session', instanceId: second };
    if (first === 'servers' && second !== undefined) return { kind: 'server', serverIp: second };
    if (first === 'trigger' && second !== undefined && third === undefined)
      return { kind: 'trigger', instanceId: second };
    if (first === 'guarantee' && rest.length === 0) return parseGuarantee(second, third);
    if (first === 'cancel' && third === undefined) return parseCancel(second);
    if (first === 'reruns' && second !== undefined && rest.length === 0) return parseRerunNode(second, third);
    const single = this.singleAt(path);
    if (single !== undefined) return single;
    const [itemText] = rest;
    const item = parseItem(itemText);
    return item !== undefined && path === this.queued(item) ? { kind: 'queued-item', item } : OTHER;
  }

  /** Meaning of a node of which a job has one. */
  private singleAt(path: string): JobNode | undefined {
    if (path === this.root) return { kind: 'root' };
    if (path === this.items || path === this.servers) return { kind: 'parent' };
    if (path === this.usableConfig) return { kind: 'usable-config' };
    if (path === this.leader) return { kind: 'leader' };
    if (path === this.reshardingFlag) return { kind: 'resharding-flag' };
    if (path === this.reshardingProcessing) return { kind: 'resharding-processing' };
    if (path === this.after) return { kind: 'after' };
    if (path === this.countingLock) return { kind: 'counting-lock' };
    if (path === this.nextInstanceIp) return { kind: 'next-instance-ip' };
    return LAID.has(path.slice(this.root.length + 1)) ? { kind: 'laid' } : undefined;
  }
}
