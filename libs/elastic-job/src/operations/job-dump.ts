import { inJavaOrder } from '../domain/index.js';
import type { RegistryCenter, RegistryNode } from '../registry/index.js';

/**
 * The nodes below a path, depth first, children in Java's order; undefined if there is no such node. What changes while
 * it is read is shown either way.
 */
export async function readTree(registry: RegistryCenter, root: string): Promise<readonly RegistryNode[] | undefined> {
  const view = await registry.openSubtree(root, () => {});
  try {
    if (!view.has(root)) return undefined;
    const pathsBelow = (path: string): string[] =>
      inJavaOrder(view.children(path)).flatMap((name) => [`${path}/${name}`, ...pathsBelow(`${path}/${name}`)]);
    const paths = pathsBelow(root);
    await view.load(paths); // What has changed since the view was opened.
    return paths.flatMap((path) => view.node(path) ?? []);
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
  return texts.map((text) => {
    let hidden = text;
    for (const [address] of text.matchAll(IPV4)) {
      const name = names.get(address) ?? `ip${names.size + 1}`;
      names.set(address, name);
      hidden = hidden.replaceAll(address, name);
    }
    return hidden;
  });
}
