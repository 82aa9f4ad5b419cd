import { ElasticJobError, isInstanceId, NODE_TEXT_LIMITS } from '../../domain/index.js';
import type { SubtreeBounds } from '../../registry/index.js';
import { ITEM_NODES, type JobPaths, parseItem } from './job-paths.js';

/** Items, instances, servers and so on, of each kind. A plan of more items fits no request. */
const MOST_CHILDREN = 10_000;
/** Of an instance, an address or a job. */
const LONGEST_NAME = 512;
/** Texts that name somebody or something. */
const LONGEST_TEXT = 4_096;
/** Java writes the labels of an instance beside its id and address. */
const LONGEST_INSTANCE = 16_384;
/** What stands below an item or a request of an operator goes with it, so it is known; nobody of good will has any. */
const MOST_FOREIGN = 1_000;
const DEEPEST = 8;
/** One who fills the namespace does not fill the log. */
const MOST_TOLD = 20;

const PARENTS: ReadonlySet<string> = new Set([
  'config',
  'usable',
  'instances',
  'servers',
  'sessions',
  'departed',
  'leader',
  'leader/election',
  'leader/election/host',
  'leader/election/instance',
  'leader/election/latch',
  'leader/election/term',
  'leader/sharding',
  'leader/sharding/necessary',
  'leader/sharding/processing',
  'leader/failover',
  'leader/failover/items',
  'leader/failover/latch',
  'sharding',
  'trigger',
  'cancel',
  'guarantee',
  'guarantee/started',
  'guarantee/started-latch',
  'guarantee/completed',
  'guarantee/completed-latch',
  'dependents',
  'counting',
  'after',
  'systemTime',
  'systemTime/current',
  'next-job-instance-ip',
]);
/** Their children have names. */
const NAMED: ReadonlySet<string> = new Set(['servers', 'departed', 'trigger', 'dependents']);
/** Their children have the ids of instances. */
const OF_INSTANCES: ReadonlySet<string> = new Set(['instances', 'sessions']);
/** Their children have none. */
const LEAVES: ReadonlySet<string> = new Set([
  'instances',
  'sessions',
  'servers',
  'departed',
  'dependents',
  'cancel',
  'leader/failover/items',
  'guarantee/started',
  'guarantee/completed',
]);
/** Their children are items. */
const NUMBERED: ReadonlySet<string> = new Set([
  'sharding',
  'cancel',
  'leader/failover/items',
  'guarantee/started',
  'guarantee/completed',
]);
const MARKS: ReadonlySet<string> = new Set(ITEM_NODES);

/** A job has more in the registry than this instance takes in. What is left out of it decides nothing here. */
export class OversizedNodeError extends ElasticJobError {
  readonly code = 'OVERSIZED_NODE';

  constructor(
    readonly path: string,
    what: string,
  ) {
    super(
      `The registry's node ${path} has ${what}, and is not read further. It is damaged, or somebody fills the ` +
        'namespace: remove what is too much, and look who may write there.',
    );
  }
}

/**
 * What an instance takes in of a job's tree: the nodes that a job has, as many and as long as they can be. Others may
 * have written anything below the job; it costs no memory, and no time that grows with it.
 * @param onLeftOut told once for each node
 */
export function treeBounds(paths: JobPaths, onLeftOut: (error: OversizedNodeError) => void): SubtreeBounds {
  const told = new Set<string>();
  let foreign = 0;
  const below = (path: string) => path.slice(paths.root.length + 1);
  return {
    mostChildren: MOST_CHILDREN,
    admits: (path) => {
      const place = placeOf(below(path));
      if (place !== 'foreign') return place === 'known';
      foreign += 1;
      return foreign <= MOST_FOREIGN;
    },
    isLeaf: (path) => LEAVES.has(below(path.slice(0, path.lastIndexOf('/')))),
    longest: (path) => longestText(below(path)),
    onLeftOut: (path, what) => {
      if (told.has(path) || told.size >= MOST_TOLD) return;
      told.add(path);
      const most = what === 'value' ? `${longestText(below(path))} characters` : `${MOST_CHILDREN} children`;
      onLeftOut(new OversizedNodeError(path, `more than ${most}`));
    },
  };
}

/** @param path below the job */
function placeOf(path: string): 'known' | 'foreign' | 'unknown' {
  if (PARENTS.has(path)) return 'known';
  const end = path.lastIndexOf('/');
  const [parent, name] = [path.slice(0, end), path.slice(end + 1)];
  if (end === -1 || name.length > LONGEST_NAME) return 'unknown';
  if (OF_INSTANCES.has(parent)) return isInstanceId(name) ? 'known' : 'unknown';
  if (NAMED.has(parent)) return 'known';
  if (NUMBERED.has(parent)) return parseItem(name) === undefined ? 'unknown' : 'known';
  const [first, second, ...rest] = path.split('/', DEEPEST + 1);
  const isBelowItem = first === 'sharding' && parseItem(second) !== undefined;
  if (isBelowItem && rest.length === 1 && MARKS.has(name)) return 'known';
  return (isBelowItem || first === 'trigger') && rest.length <= DEEPEST - 2 ? 'foreign' : 'unknown';
}

/** @param path below the job */
function longestText(path: string): number {
  const [first, second, third] = path.split('/', 3);
  switch (first) {
    case 'config':
    case 'usable':
    case 'after':
    case 'trigger':
      return NODE_TEXT_LIMITS.bytes;
    case 'dependents':
      return second === undefined ? NODE_TEXT_LIMITS.bytes : LONGEST_TEXT;
    case 'instances':
      return LONGEST_INSTANCE;
    case 'sharding':
      // A record holds the parameters of an operator's trigger.
      return third === 'checkpoint' || third === 'record' ? NODE_TEXT_LIMITS.bytes : LONGEST_TEXT;
    default:
      return LONGEST_TEXT;
  }
}
