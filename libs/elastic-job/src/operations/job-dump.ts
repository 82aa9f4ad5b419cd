import { inJavaOrder } from '../domain/index.js';
import type { RegistryCenter, RegistryNode, Subtree } from '../registry/index.js';

/** Nodes whose values are read at once: no more is in memory beside the dump. */
const READ_AT_ONCE = 20;
/** The shortest line of a dump has a name and the delimiter. */
const SHORTEST_LINE = 5;
/** No node that the library makes has a longer path. */
const LONGEST_PATH = 4_096;

/** A tree, or as much of it as a dump may have. */
interface DumpedTree {
  readonly nodes: readonly RegistryNode[];
  /** There is more. */
  readonly isCut: boolean;
}

/**
 * The nodes below a path, depth first, children in Java's order; undefined if there is no such node. What changes while
 * it is read is shown either way.
 * @param mostBytes the reading ends once paths and values have as many
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

/** One `path | value` for each node, values as they are: those of several lines span lines. */
export function formatDump(nodes: readonly RegistryNode[]): string[] {
  return nodes.map(({ path, data }) => `${path} | ${data}`);
}

/** Order and grouping matter: of two addresses, one of which begins with the other, the longer one may be cut. */
const IPV4 = /(?:\d|[1-9]\d|1\d{2}|2[0-4]\d|25[0-5])(?:\.(?:1\d{2}|2[0-4]\d|25[0-5]|[1-9]\d|\d)){3}/g;

/**
 * Replaces each IPv4 address by `ip1`, `ip2` and so on, in the order in which they come first; whatever looks like one.
 * @see ElasticJob, `SensitiveInfoUtils.filterSensitiveIps` and `IpUtils.IP_REGEX`
 */
export function hideAddresses(texts: readonly string[]): string[] {
  const names = new Map<string, string>();
  return texts.map((text) =>
    text.replaceAll(IPV4, (address) => {
      const name = names.get(address) ?? `ip${names.size + 1}`;
      names.set(address, name);
      return name;
    }),
  );
}

/** Depth first, without the root. A tree may be deeper than the stack. */
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
