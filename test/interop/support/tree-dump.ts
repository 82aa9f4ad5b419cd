/** A node as a dump shows it. */
export interface DumpedNode {
  readonly path: string;
  readonly data: string;
}

const IPV4 = /((25[0-5]|2[0-4]\d|1\d{2}|[1-9]\d|\d)\.){3}(25[0-5]|2[0-4]\d|1\d{2}|[1-9]\d|\d)/g;

/**
 * The text of Java's snapshot service: a line for each node, in the order given, values as they are, each address
 * replaced by `ip1`, `ip2` and so on in the order of appearance.
 */
export function dump(nodes: readonly DumpedNode[]): string {
  const names = new Map<string, string>();
  const nameOf = (ip: string) => {
    const name = names.get(ip) ?? `ip${names.size + 1}`;
    names.set(ip, name);
    return name;
  };
  const lines = nodes.map(({ path, data }) => `${path} | ${data}`.replaceAll(IPV4, nameOf));
  return `${lines.join('\n')}\n`;
}
