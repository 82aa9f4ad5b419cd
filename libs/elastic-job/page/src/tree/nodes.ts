/** A dump of a job's nodes, line by line, as the tree that it is. */
export interface TreeNode {
  readonly path: string;
  /** The last part of the path. */
  readonly name: string;
  readonly value: string;
  readonly children: readonly TreeNode[];
  /** Number of nodes below it, at all depths. */
  readonly below: number;
}

export interface JobTree {
  readonly nodes: readonly TreeNode[];
  /** True if the dump has not all nodes. */
  readonly isCut: boolean;
}

type Growing = { -readonly [Part in keyof TreeNode]: TreeNode[Part] } & { readonly children: Growing[] };

const SEPARATOR = ' | ';
const CUT = '# cut: ';

/**
 * Reads `path | value` lines. A value of several lines goes on until the next line of a node of the same job. A node
 * whose parent is not there stands at the top.
 */
export function treeOf(dump: string): JobTree {
  const lines = dump.replace(/\n$/, '').split('\n');
  const isCut = lines.at(-1)?.startsWith(CUT) === true;
  if (isCut) lines.pop();
  const root = /^\/[^/]*\//.exec(lines[0] ?? '')?.[0] ?? '/';
  const top: Growing[] = [];
  const byPath = new Map<string, Growing>();
  let last: Growing | undefined;
  for (const line of lines) {
    const end = line.indexOf(SEPARATOR);
    const path = line.slice(0, end);
    if (end < 0 || !path.startsWith(root) || byPath.has(path)) {
      if (last !== undefined) last.value += `\n${line}`;
      continue;
    }
    const slash = path.lastIndexOf('/');
    const value = line.slice(end + SEPARATOR.length);
    last = { path, name: path.slice(slash + 1), value, children: [], below: 0 };
    byPath.set(path, last);
    (byPath.get(path.slice(0, slash))?.children ?? top).push(last);
  }
  for (const node of [...byPath.values()].toReversed()) {
    const parent = byPath.get(node.path.slice(0, node.path.lastIndexOf('/')));
    if (parent !== undefined) parent.below += node.below + 1;
  }
  return { nodes: top, isCut };
}
