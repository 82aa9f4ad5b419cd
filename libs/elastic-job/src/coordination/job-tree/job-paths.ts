import { type GuaranteePhase, interned, type JobName } from '../../domain/index.js';

/**
 * What a path of a job's tree stands for. `parent`: that of the items or servers; `other`: any other, or an unknown
 * node.
 */
export type JobNode =
  | {
      readonly kind:
        | 'root'
        | 'config'
        | 'usable-config'
        | 'leader'
        | 'resharding-flag'
        | 'resharding-processing'
        | 'next-instance-ip'
        | 'parent'
        | 'after'
        | 'counting-lock'
        | 'other';
    }
  | { readonly kind: 'trigger'; readonly instanceId: string }
  /** Without an item: the whole round. */
  | { readonly kind: 'guarantee'; readonly phase: GuaranteePhase; readonly item: number | undefined }
  | { readonly kind: 'instance' | 'session'; readonly instanceId: string }
  | { readonly kind: 'server'; readonly serverIp: string }
  | { readonly kind: 'queued-item'; readonly item: number }
  | { readonly kind: 'cancel'; readonly item: number }
  | { readonly kind: ItemNodeKind; readonly item: number };

export const ITEM_NODES = [
  'instance',
  'running',
  'misfire',
  'disabled',
  'failover',
  'failovering',
  'record',
  'checkpoint',
  'task',
] as const;
type ItemNodeName = (typeof ITEM_NODES)[number];
type ItemNodeKind = 'item' | `item-${ItemNodeName}`;
/** As far as they were asked for. */
type ItemPaths = { readonly item: string } & Partial<Record<ItemNodeName, string>>;

const KINDS: ReadonlyMap<string, ItemNodeKind> = new Map(ITEM_NODES.map((name) => [name, `item-${name}`]));

/**
 * The one place where node paths of a job are written and parsed. The tree is Apache ElasticJob 3.0.x's; `usable`,
 * `term`, `sessions`, `departed`, `cancel`, `dependents`, `counting`, `after` and the `record`, `checkpoint` and `task`
 * of an item are ours.
 */
export class JobPaths {
  readonly root: string;
  readonly config: string;
  /** The last text of `config` that could be used: in force while that of `config` cannot. */
  readonly usableConfig: string;
  readonly instances: string;
  readonly servers: string;
  readonly sessions: string;
  readonly election: string;
  readonly leader: string;
  readonly term: string;
  readonly shardingFlags: string;
  readonly reshardingFlag: string;
  /** Ephemeral: a Java leader is resharding. */
  readonly reshardingProcessing: string;
  readonly queue: string;
  readonly items: string;
  /** Parent of the jobs that are started after this one; its data says how far its runs are. */
  readonly dependents: string;
  /** Its data says which runs of other jobs this one has been started after, and waits for. */
  readonly after: string;
  private readonly belowItems: string;
  // Each trigger names these again and again, and a text that is made anew has to be hashed anew.
  private readonly ofItems = new Map<number, ItemPaths>();

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
    this.dependents = interned(`${this.root}/dependents`);
    this.after = interned(`${this.root}/after`);
  }

  // Seldom named, and not kept: a process has all paths of each of its jobs.

  get triggers(): string {
    return `${this.root}/trigger`;
  }

  get cancels(): string {
    return `${this.root}/cancel`;
  }

  /** Parent of both phases; its data says which rounds are over. */
  get guarantees(): string {
    return `${this.root}/guarantee`;
  }

  /** Ephemeral: who alone counts the ended items of this job's runs now, for the jobs that are started after it. */
  get countingLock(): string {
    return `${this.root}/counting`;
  }

  /** Ephemeral: the address of the instance that runs next, under SINGLE_SHARDING_BALANCE. */
  get nextInstanceIp(): string {
    return `${this.root}/next-job-instance-ip`;
  }

  get departures(): string {
    return `${this.root}/departed`;
  }

  /** Curator's latch that Java holds while it elects. */
  get electionLatch(): string {
    return `${this.election}/latch`;
  }

  /** Curator's latch that Java holds while it takes an item from the queue. */
  get failoverLatch(): string {
    return `${this.root}/leader/failover/latch`;
  }

  /** Its mtime is the registry's clock. */
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

  /** Its ctime says since when the address has had no instance. */
  departed(serverIp: string): string {
    return `${this.departures}/${serverIp}`;
  }

  /** Asks one instance for a run. */
  trigger(instanceId: string): string {
    return `${this.triggers}/${instanceId}`;
  }

  /** Asks the holder of an item to abort one run: its data is the run's id. */
  cancel(item: number): string {
    return `${this.cancels}/${item}`;
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

  /** Says that a job is started after this one. */
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
   * What is known of the item's last run by one of ours. A leaf: of a node that has children Java reads all of them
   * anew.
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
    // Nearly all that happens in a job.
    if (path.startsWith(this.belowItems)) return parseItemNode(path.slice(this.belowItems.length));
    const [first, second, third, ...rest] = path.slice(this.root.length + 1).split('/');
    if (first === 'config' && second === undefined) return { kind: 'config' };
    if (first === 'instances' && second !== undefined) return { kind: 'instance', instanceId: second };
    if (first === 'sessions' && second !== undefined) return { kind: 'session', instanceId: second };
    if (first === 'servers' && second !== undefined) return { kind: 'server', serverIp: second };
    if (first === 'trigger' && second !== undefined && third === undefined)
      return { kind: 'trigger', instanceId: second };
    if (first === 'guarantee' && rest.length === 0) return parseGuarantee(second, third);
    if (first === 'cancel' && third === undefined) return parseCancel(second);
    if (path === this.root) return { kind: 'root' };
    if (path === this.items || path === this.servers) return { kind: 'parent' };
    if (path === this.usableConfig) return { kind: 'usable-config' };
    if (path === this.leader) return { kind: 'leader' };
    if (path === this.reshardingFlag) return { kind: 'resharding-flag' };
    if (path === this.reshardingProcessing) return { kind: 'resharding-processing' };
    if (path === this.after) return { kind: 'after' };
    if (path === this.countingLock) return { kind: 'counting-lock' };
    if (path === this.nextInstanceIp) return { kind: 'next-instance-ip' };
    const [itemText] = rest;
    const item = parseItem(itemText);
    return item !== undefined && path === this.queued(item) ? { kind: 'queued-item', item } : { kind: 'other' };
  }
}

function parseGuarantee(phase: string | undefined, itemText: string | undefined): JobNode {
  const item = parseItem(itemText);
  if (phase !== 'started' && phase !== 'completed') return { kind: 'other' };
  return itemText === undefined || item !== undefined ? { kind: 'guarantee', phase, item } : { kind: 'other' };
}

function parseCancel(itemText: string | undefined): JobNode {
  const item = parseItem(itemText);
  return item === undefined ? { kind: 'other' } : { kind: 'cancel', item };
}

/** The item that a node's name stands for; undefined if it stands for none. */
export function parseItem(name: string | undefined): number | undefined {
  if (name === undefined || !/^(0|[1-9]\d*)$/.test(name)) return undefined;
  // A greater number would be rounded, and stand for another node.
  return Number.isSafeInteger(Number(name)) ? Number(name) : undefined;
}

/** @param path below that of all items */
function parseItemNode(path: string): JobNode {
  const end = path.indexOf('/');
  const item = parseItem(end === -1 ? path : path.slice(0, end));
  if (item === undefined) return { kind: 'other' };
  if (end === -1) return { kind: 'item', item };
  const nameEnd = path.indexOf('/', end + 1);
  const kind = KINDS.get(nameEnd === -1 ? path.slice(end + 1) : path.slice(end + 1, nameEnd));
  return kind === undefined ? { kind: 'other' } : { kind, item };
}
