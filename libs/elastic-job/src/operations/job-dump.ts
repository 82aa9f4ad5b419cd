import { isIPv6 } from 'node:net';
import type { Clock } from '../clock/index.js';
import { type JobPaths, maskConfiguration, unknownJob } from '../coordination/index.js';
import {
  inDescendingOrder,
  isObject,
  readFields,
  type Redact,
  type Rerun,
  type RunningTask,
  type RunRecord,
} from '../domain/index.js';
import type { RegistryCenter, RegistryNode, Subtree, SubtreeBounds } from '../registry/index.js';
import { TextTurns } from '../turns/index.js';
import type { DumpOptions } from './command-arguments.js';

const MOST_BYTES = 5_000_000;
/** Most nodes whose values are read at once, and so are in memory besides the dump. */
const READ_AT_ONCE = 20;
/** The delimiter of a line, and its end. */
const LINE_BYTES = 4;
/** Longer than any path that the library makes. */
const LONGEST_PATH = 4_096;
/** Most children of a node. An instance reads no more either. */
const MOST_CHILDREN = 10_000;

/** A dump: what is shown of each node, and how large it may be. */
interface Dump {
  readonly maxBytes: number;
  readonly clock: Pick<Clock, 'nextTurn'>;
  /** The node's line. */
  readonly show: (node: RegistryNode) => string;
}

/**
 * The text of a job's nodes, depth first, children in Java's order. Of a larger tree the first nodes, and a last line
 * that says so. A change during the reading may or may not be included.
 * @param redact goes over what is shown while secrets are hidden
 * @throws {UnknownJobError}
 */
export async function dumpJob(
  registry: RegistryCenter,
  paths: JobPaths,
  { maxBytes = MOST_BYTES, hideSecrets = true, hideAddresses = true }: DumpOptions,
  { clock, redact }: Pick<Dump, 'clock'> & { readonly redact: Redact },
): Promise<string> {
  const hide = hideAddresses ? addressHider() : (line: string) => line;
  const show = (node: RegistryNode) => hide(hideSecrets ? redact(lineOf(withoutSecrets(paths, node))) : lineOf(node));
  const lines = await dumpTree(registry, paths.root, { maxBytes, clock, show });
  if (lines === undefined) throw await unknownJob(registry, paths.jobName);
  return `${lines.join('\n')}\n`;
}

/** The lines of the nodes below a path; undefined if there is no such node. */
async function dumpTree(registry: RegistryCenter, root: string, dump: Dump): Promise<readonly string[] | undefined> {
  let isCut = false;
  const bounds = boundsOf(dump, () => (isCut = true));
  const view = await registry.openSubtree(root, () => {}, { holds: () => false, bounds });
  try {
    if (!view.has(root)) return undefined;
    const lines: string[] = [];
    const isWhole = await showNodes(view, root, dump, lines);
    if (isCut || !isWhole) lines.push(cutLine(dump));
    return lines;
  } finally {
    view.close();
  }
}

/** `path | value`, with the value unchanged: one of several lines spans lines. */
function lineOf({ path, data }: RegistryNode): string {
  return `${path} | ${data}`;
}

function cutLine({ maxBytes }: Dump): string {
  return `# cut: the tree has more than ${maxBytes} bytes, or a node of it more than ${MOST_CHILDREN} children`;
}

function boundsOf({ maxBytes }: Dump, onLeftOut: () => void): SubtreeBounds {
  let left = maxBytes;
  return {
    admits: ({ length }) => {
      const isAdmitted = length <= LONGEST_PATH && (left -= length + LINE_BYTES) >= 0;
      if (!isAdmitted) onLeftOut();
      return isAdmitted;
    },
    isLeaf: () => false,
    mostChildren: MOST_CHILDREN,
    longest: () => maxBytes,
    onLeftOut,
  };
}

/** Text that is hidden counts as well, since it is read. @returns false if not all nodes have room */
async function showNodes(view: Subtree, root: string, { maxBytes, clock, show }: Dump, lines: string[]) {
  let bytes = 0;
  const turns = new TextTurns(clock);
  for (const paths of inPieces(pathsBelow(view, root))) {
    await view.load(paths);
    for (const node of paths.flatMap((path) => view.node(path) ?? [])) {
      await turns.admit(node.data.length);
      const line = show(node);
      bytes += Math.max(Buffer.byteLength(line), Buffer.byteLength(node.data)) + LINE_BYTES;
      if (bytes > maxBytes) return false;
      lines.push(line);
    }
  }
  return true;
}

/** Order and grouping matter: if one address begins with another, the longer one may be cut. */
const IPV4 = /(?:\d|[1-9]\d|1\d{2}|2[0-4]\d|25[0-5])(?:\.(?:1\d{2}|2[0-4]\d|25[0-5]|[1-9]\d|\d)){3}/g;

/** Texts that may be an IPv6 address. */
const MAYBE_IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:.])/gi;

/**
 * Makes a function that replaces each IPv4 address, each text that looks like one, and each IPv6 address by `ip1`,
 * `ip2` and so on, in the order of first appearance in all its texts.
 * @see ElasticJob, `SensitiveInfoUtils.filterSensitiveIps` and `IpUtils.IP_REGEX`
 */
export function addressHider(): (text: string) => string {
  const names = new Map<string, string>();
  const nameOf = (address: string) => {
    const name = names.get(address) ?? `ip${names.size + 1}`;
    names.set(address, name);
    return name;
  };
  return (text) =>
    text.replaceAll(IPV4, nameOf).replaceAll(MAYBE_IPV6, (found) => (isIPv6(found) ? nameOf(found) : found));
}

/** Depth first, without the root. Iterative, since a tree may be deeper than the stack. */
function* pathsBelow(view: Subtree, root: string): Generator<string, void> {
  const childrenOf = (path: string) => inDescendingOrder(view.children(path)).map((name) => `${path}/${name}`);
  const waiting = [childrenOf(root).values()];
  for (let siblings = waiting.at(-1); siblings !== undefined; siblings = waiting.at(-1)) {
    const { done, value: path } = siblings.next();
    if (done) waiting.pop();
    else {
      yield path;
      waiting.push(childrenOf(path).values());
    }
  }
}

function* inPieces(paths: Iterable<string>): Generator<readonly string[], void> {
  let piece: string[] = [];
  for (const path of paths) {
    if (piece.push(path) < READ_AT_ONCE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

const HIDDEN = 'hidden';

/** Fields that a dump shows: `true` for a whole value, or the fields of an object. All others are hidden. */
type Shown = true | { readonly [field: string]: Shown | undefined };
type ShownOf<Fields> = { readonly [Field in keyof Required<Fields>]: Shown | undefined };

const RECORD: ShownOf<RunRecord & { readonly v: number }> = {
  v: true,
  run: true,
  by: true,
  // An operator's parameters are left out.
  target: { fireTime: true, origin: true },
  attempt: true,
  begunAt: true,
  lastScheduled: true,
  owesAfter: true,
  triggers: true,
  early: { after: true, until: true, fireTimes: true },
  stopped: { run: true, cause: true },
  settled: { at: true, outcome: true, cause: true, isOwed: true },
  executorDeaths: true,
  launch: true,
  isAdoptable: true,
  trace: true,
};

const TASK: ShownOf<RunningTask> = {
  id: true,
  backend: true,
  run: true,
  launch: true,
  source: true,
  state: true,
  since: true,
  detail: undefined,
  node: true,
};

const RERUN: ShownOf<Rerun & { readonly v: number }> = {
  v: true,
  at: true,
  items: true,
  fireTimes: true,
  parameters: undefined,
  anyTime: true,
  withdrawn: true,
};

type Show = (text: string) => string;
const whole: Show = (text) => text;
const nothing: Show = () => HIDDEN;

/** Parts of a node's text that a dump shows. A new kind of node does not compile before it stands in the table. */
const SHOWN: { readonly [Kind in ReturnType<JobPaths['parse']>['kind']]: Show } = {
  root: whole,
  config: (text) => `${maskConfiguration(text)}\n`,
  'usable-config': (text) => `${maskConfiguration(text)}\n`,
  leader: whole,
  'resharding-flag': whole,
  'resharding-processing': whole,
  'next-instance-ip': whole,
  parent: nothing,
  laid: nothing,
  after: whole,
  'counting-lock': whole,
  other: nothing,
  trigger: nothing,
  guarantee: whole,
  instance: whole,
  session: whole,
  server: whole,
  'queued-item': whole,
  cancel: whole,
  rerun: (text) => fieldsOf(text, RERUN),
  'rerun-item': whole,
  item: nothing,
  'item-instance': whole,
  'item-running': whole,
  'item-misfire': whole,
  'item-disabled': whole,
  'item-failover': whole,
  'item-failovering': whole,
  'item-record': (text) => fieldsOf(text, RECORD),
  'item-checkpoint': nothing,
  'item-task': (text) => fieldsOf(text, TASK),
};

/**
 * A node as a dump shows it: only what is known to hold no parameters, props, extra configurations, and no free texts
 * of handlers and operators.
 */
function withoutSecrets(paths: JobPaths, node: RegistryNode): RegistryNode {
  if (node.data === '' || isKnown(paths, node.path)) return node;
  return { ...node, data: SHOWN[paths.parse(node.path).kind](node.data) };
}

/** Nodes with names and numbers alone that have no kind of their own, since no decision reads them by events. */
function isKnown(paths: JobPaths, path: string): boolean {
  return [paths.dependents, paths.guarantees, paths.term, paths.systemTime].includes(path);
}

function fieldsOf(text: string, shown: Shown): string {
  const fields = readFields(text);
  return fields === undefined ? HIDDEN : JSON.stringify(masked(fields, shown));
}

function masked(value: unknown, shown: Shown | undefined): unknown {
  if (shown === true) return value;
  if (shown === undefined || !isObject(value)) return HIDDEN;
  const fields = Object.entries(value).map(([name, field]) => [
    name,
    masked(field, Object.hasOwn(shown, name) ? shown[name] : undefined),
  ]);
  return Object.fromEntries(fields);
}
