import { isIPv6 } from 'node:net';
import { inJavaOrder } from '../domain/index.js';
import type { RegistryCenter, RegistryNode, Subtree } from '../registry/index.js';

/** Most nodes whose values are read at once, and so are in memory besides the dump. */
const READ_AT_ONCE = 20;
/** The shortest line of a dump: a name and the delimiter. */
const SHORTEST_LINE = 5;
/** Longer than any path that the library makes. */
const LONGEST_PATH = 4_096;

/** A tree, or the part of it that fits a dump. */
interface DumpedTree {
  readonly nodes: readonly RegistryNode[];
  /** True if the rest is left out. */
  readonly isCut: boolean;
}

/**
 * Reads the nodes below a path, depth first, children in Java's order; undefined if there is no such node. A change
 * during the reading may or may not be included.
 * @param mostBytes size of paths and values at which the reading stops
 */
export async function readTree(
  registry: RegistryCenter,
  root: string,
  mostBytes: number,
): Promise<DumpedTree | undefined> {
  let isCut = false;
  let left = Math.ceil(mostBytes / SHORTEST_LINE);
  const admits = (path: string) => path.length <= LONGEST_PATH && (left -= 1) >= 0;
  const bounds = {
    admits: (path: string) => admits(path) || !(isCut = true),
    isLeaf: () => false,
    mostChildren: Infinity,
    longest: () => mostBytes,
    onLeftOut: () => (isCut = true),
  };
  const view = await registry.openSubtree(root, () => {}, { holds: () => false, bounds });
  try {
    if (!view.has(root)) return undefined;
    const nodes: RegistryNode[] = [];
    let bytes = 0;
    for (const paths of inPieces(pathsBelow(view, root))) {
      await view.load(paths);
      for (const node of paths.flatMap((path) => view.node(path) ?? [])) {
        bytes += Buffer.byteLength(node.path) + Buffer.byteLength(node.data) + SHORTEST_LINE;
        if (bytes > mostBytes) return { nodes, isCut: true };
        nodes.push(node);
      }
    }
    return { nodes, isCut };
  } finally {
    view.close();
  }
}

/** Writes one `path | value` for each node, with values unchanged: those of several lines span lines. */
export function formatDump(nodes: readonly RegistryNode[]): string[] {
  return nodes.map(({ path, data }) => `${path} | ${data}`);
}

/** Order and grouping matter: if one address begins with another, the longer one may be cut. */
const IPV4 = /(?:\d|[1-9]\d|1\d{2}|2[0-4]\d|25[0-5])(?:\.(?:1\d{2}|2[0-4]\d|25[0-5]|[1-9]\d|\d)){3}/g;

/** Texts that may be an IPv6 address. */
const MAYBE_IPV6 = /(?<![\w:.])(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}(?![\w:.])/gi;

/**
 * Replaces each IPv4 address, each text that looks like one, and each IPv6 address by `ip1`, `ip2` and so on, in the
 * order of first appearance.
 * @see ElasticJob, `SensitiveInfoUtils.filterSensitiveIps` and `IpUtils.IP_REGEX`
 */
export function hideAddresses(texts: readonly string[]): string[] {
  const names = new Map<string, string>();
  const nameOf = (address: string) => {
    const name = names.get(address) ?? `ip${names.size + 1}`;
    names.set(address, name);
    return name;
  };
  return texts.map((text) =>
    text.replaceAll(IPV4, nameOf).replaceAll(MAYBE_IPV6, (found) => (isIPv6(found) ? nameOf(found) : found)),
  );
}

/** Depth first, without the root. Iterative, since a tree may be deeper than the stack. */
function* pathsBelow(view: Subtree, root: string): Generator<string, void> {
  const childrenOf = (path: string) => inJavaOrder(view.children(path)).map((name) => `${path}/${name}`);
  const waiting = childrenOf(root).toReversed();
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    yield path;
    waiting.push(...childrenOf(path).toReversed());
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
