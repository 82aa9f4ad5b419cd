import { ElasticJobError, isInstanceId, NODE_TEXT_LIMITS, SparseSet } from '../../domain/index.js';
import type { SubtreeBounds } from '../../registry/index.js';
import { ITEM_NODES, parseItem } from './job-node.js';
import type { JobPaths } from './job-paths.js';

/** Most items, instances, servers and so on of each kind. A plan of more items fits no request. */
const MOST_CHILDREN = 10_000;
/** Longest name of an instance, an address or a job. */
const LONGEST_NAME = 512;
/** Longest text that names an instance, an address or the like. */
const LONGEST_TEXT = 4_096;
/** Longest text of an instance. Java writes the instance's labels beside its id and address. */
const LONGEST_INSTANCE = 16_384;
/**
 * Most unknown nodes kept below items and operators' requests. They are kept because they are deleted with their
 * parents; regular clients create none.
 */
const MOST_FOREIGN = 1_000;
const DEEPEST = 8;
/** Most nodes reported, so that a flooded namespace does not flood the log. */
const MOST_REPORTED = 20;

/** Nodes of a job, with the kind of names of their children: instance ids, item numbers, any names, or fixed ones. */
const NODES = new Map<string, 'ids' | 'items' | 'names' | 'fixed'>(
  Object.entries({
    config: 'fixed',
    usable: 'fixed',
    instances: 'ids',
    servers: 'names',
    sessions: 'ids',
    departed: 'names',
    ended: 'fixed',
    leader: 'fixed',
    'leader/election': 'fixed',
    'leader/election/host': 'fixed',
    'leader/election/instance': 'fixed',
    'leader/election/latch': 'fixed',
    'leader/election/term': 'fixed',
    'leader/sharding': 'fixed',
    'leader/sharding/necessary': 'fixed',
    'leader/sharding/processing': 'fixed',
    'leader/failover': 'fixed',
    'leader/failover/items': 'items',
    'leader/failover/latch': 'fixed',
    sharding: 'items',
    trigger: 'names',
    cancel: 'items',
    reruns: 'names',
    guarantee: 'fixed',
    'guarantee/started': 'items',
    'guarantee/started-latch': 'fixed',
    'guarantee/completed': 'items',
    'guarantee/completed-latch': 'fixed',
    dependents: 'names',
    counting: 'fixed',
    after: 'fixed',
    systemTime: 'fixed',
    'systemTime/current': 'fixed',
    'next-job-instance-ip': 'fixed',
  } as const),
);
const RERUNS = 'reruns/';
/** Nodes whose children may have children. */
const TREES: ReadonlySet<string> = new Set(['sharding', 'trigger', 'reruns']);
const MARKS: ReadonlySet<string> = new Set(ITEM_NODES);
/** Nodes that come and go with each run. Below a greater item they are found as any other node. */
const ITEM_NODE = new RegExp(`^sharding/(?:0|[1-9]\\d{0,14})/(?:${ITEM_NODES.join('|')})$`);

/**
 * A job has more data in the registry than this instance reads. The part left out decides nothing here.
 * @remarks Remove what is too much below the node, and find out who may write there.
 */
export class OversizedNodeError extends ElasticJobError {
  readonly code = 'OVERSIZED_NODE';

  constructor(
    readonly path: string,
    what: string,
  ) {
    super(
      `The registry's node ${path} has ${what}, and is not read further. It is damaged, or a client floods the ` +
        'namespace: remove the surplus, and check who may write there.',
    );
  }
}

/**
 * Limits of a job's tree as an instance reads it: the nodes that a job has, in their largest number and length.
 * Anything else that others write below the job costs neither memory nor growing time.
 */
export class TreeBounds implements SubtreeBounds {
  private readonly reported = new SparseSet<string>();
  private foreign = 0;

  /**
   * @param report called once for each node that is left out
   * @param longestConfig longest text of the job's settings, in characters
   */
  constructor(
    private readonly paths: JobPaths,
    private readonly report: (error: OversizedNodeError) => void,
    private readonly longestConfig: number = NODE_TEXT_LIMITS.bytes,
  ) {}

  get mostChildren(): number {
    return MOST_CHILDREN;
  }

  admits(path: string): boolean {
    const place = placeOf(this.below(path));
    if (place !== 'foreign') return place === 'known';
    this.foreign += 1;
    return this.foreign <= MOST_FOREIGN;
  }

  isLeaf(path: string): boolean {
    return hasLeaves(this.below(path.slice(0, path.lastIndexOf('/'))));
  }

  longest(path: string): number {
    const below = this.below(path);
    return below === 'config' || below === 'usable' ? this.longestConfig : longestText(below);
  }

  onLeftOut(path: string, what: 'children' | 'value'): void {
    if (this.reported.has(path) || this.reported.size >= MOST_REPORTED) return;
    this.reported.add(path);
    const most = what === 'value' ? `${this.longest(path)} characters` : `${MOST_CHILDREN} children`;
    this.report(new OversizedNodeError(path, `more than ${most}`));
  }

  private below(path: string): string {
    return path.slice(this.paths.root.length + 1);
  }
}

/** @param path relative to the job */
function placeOf(path: string): 'known' | 'foreign' | 'unknown' {
  if (ITEM_NODE.test(path) || NODES.has(path)) return 'known';
  const end = path.lastIndexOf('/');
  const [parent, name] = [path.slice(0, end), path.slice(end + 1)];
  if (end === -1 || name.length > LONGEST_NAME) return 'unknown';
  const children = NODES.get(parent);
  if (children === 'ids') return isInstanceId(name) ? 'known' : 'unknown';
  if (children === 'names') return 'known';
  if (children === 'items') return parseItem(name) === undefined ? 'unknown' : 'known';
  const [first, second, ...rest] = path.split('/', DEEPEST + 1);
  const isBelowItem = first === 'sharding' && parseItem(second) !== undefined;
  if (isBelowItem && rest.length === 1 && MARKS.has(name)) return 'known';
  if (isRerun(parent)) return parseItem(name) === undefined ? 'unknown' : 'known';
  return (isBelowItem || first === 'trigger') && rest.length <= DEEPEST - 2 ? 'foreign' : 'unknown';
}

/** @param path relative to the job */
function hasLeaves(path: string): boolean {
  return ((NODES.get(path) ?? 'fixed') !== 'fixed' && !TREES.has(path)) || isRerun(path);
}

/** True for `reruns/{id}`, below which each item has its progress. @param path relative to the job */
function isRerun(path: string): boolean {
  return path.startsWith(RERUNS) && !path.includes('/', RERUNS.length);
}

/** @param path relative to the job */
function longestText(path: string): number {
  const [first, second, third] = path.split('/', 3);
  switch (first) {
    case 'after':
    case 'ended':
    case 'trigger':
      return NODE_TEXT_LIMITS.bytes;
    case 'dependents':
      return second === undefined ? NODE_TEXT_LIMITS.bytes : LONGEST_TEXT;
    case 'instances':
      return LONGEST_INSTANCE;
    case 'reruns':
      return third === undefined ? NODE_TEXT_LIMITS.bytes : LONGEST_TEXT;
    case 'sharding':
      // A record holds the parameters of an operator's trigger.
      return third === 'checkpoint' || third === 'record' ? NODE_TEXT_LIMITS.bytes : LONGEST_TEXT;
    default:
      return LONGEST_TEXT;
  }
}

/**
 * True for values on which every instance decides, which are kept in memory. Other values are loaded where they are
 * needed.
 */
export function isHeld(paths: JobPaths, path: string): boolean {
  switch (paths.parse(path).kind) {
    case 'root':
    case 'config':
    case 'usable-config':
    case 'instance':
    case 'session':
    case 'server':
    case 'leader':
    case 'item-instance':
    case 'next-instance-ip':
    // Held because its stat tells if it belongs to a session; the value does not matter.
    case 'resharding-processing':
    case 'guarantee':
    case 'after':
      return true;
    case 'laid':
      return path === paths.term;
    case 'other':
      return path === paths.guarantees;
    default:
      return false;
  }
}
