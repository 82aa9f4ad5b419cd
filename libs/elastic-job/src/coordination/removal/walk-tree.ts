import { NoNodeError, type RegistryCenter, type RequestOptions, type SubtreeBounds } from '../../registry/index.js';

/** Nodes whose children are asked for at the same time. */
const ASKED_AT_ONCE = 200;

/** Most nodes of a tree that is small. */
const MOST_OF_SMALL = 500;

type Asked = Pick<RegistryCenter, 'children'>;

/** A node on the way, or beside it, whose children were asked for. */
interface Parent {
  readonly name: string;
  /** Names of children that were not looked at. */
  readonly unseen: string[];
  /** Children that have children of their own. */
  readonly parents: Parent[];
}

/**
 * Walks a node and all nodes below it, children before their parents. Other clients may have made any number of them,
 * at any depth. So it gives the paths in pieces, with a request between two pieces, and holds no more than the names
 * beside its way, and at each level those of the children of 200 siblings.
 * @param except names of children of the node that are not walked
 */
export async function* childrenFirst(
  registry: Asked,
  root: string,
  { except = [], ...options }: RequestOptions & { readonly except?: readonly string[] } = {},
): AsyncGenerator<readonly string[], void, undefined> {
  const names = await childrenOf(registry, root, options);
  if (names === undefined) return;
  const way: Parent[] = [{ name: '', unseen: names.filter((name) => !except.includes(name)), parents: [] }];
  let path = root;
  for (let parent = way[0]; parent !== undefined; parent = way.at(-1)) {
    const next = parent.parents.pop();
    if (next !== undefined) {
      way.push(next);
      path += `/${next.name}`;
    } else if (parent.unseen.length > 0) {
      yield await leavesAmong(registry, path, parent, options);
    } else {
      yield [path];
      way.pop();
      path = path.slice(0, -`/${parent.name}`.length);
    }
  }
}

/** Looks at some of the children that were not looked at, and returns the paths of those without children. */
async function leavesAmong(
  registry: Asked,
  path: string,
  { unseen, parents }: Parent,
  options: RequestOptions,
): Promise<readonly string[]> {
  const some = unseen.splice(-ASKED_AT_ONCE);
  const found = await Promise.all(some.map((name) => childrenOf(registry, `${path}/${name}`, options)));
  const leaves: string[] = [];
  for (const [index, names] of found.entries()) {
    const name = some[index]!;
    if (names?.length === 0) leaves.push(`${path}/${name}`);
    else if (names !== undefined) parents.push({ name, unseen: [...names], parents: [] });
  }
  return leaves;
}

/** Names of a node's children; undefined if there is no such node. */
export async function childrenOf(
  registry: Asked,
  path: string,
  options: RequestOptions,
): Promise<readonly string[] | undefined> {
  try {
    return await registry.children(path, options);
  } catch (error) {
    if (error instanceof NoNodeError) return undefined;
    throw error;
  }
}

/**
 * Names of children in a tree. A small tree is read with one view, which takes a few requests for all its nodes. In a
 * larger one each node is asked for its children.
 */
export async function namesBelow(
  registry: RegistryCenter,
  root: string,
  options: RequestOptions,
): Promise<Asked & { close(): void }> {
  let nodes = 0;
  let isSmall = true;
  const leaveOut = () => {
    isSmall = false;
  };
  const bounds: SubtreeBounds = {
    admits: () => {
      nodes += 1;
      if (nodes > MOST_OF_SMALL) leaveOut();
      return isSmall;
    },
    isLeaf: () => !isSmall,
    longest: () => 0,
    mostChildren: MOST_OF_SMALL,
    onLeftOut: leaveOut,
  };
  const view = await registry.openSubtree(root, () => {}, { ...options, holds: () => false, bounds });
  if (!isSmall) {
    view.close();
    return { children: (path) => registry.children(path, options), close: () => {} };
  }
  const children = async (path: string) => {
    if (!view.has(path)) throw new NoNodeError(path);
    return view.children(path);
  };
  return { children, close: () => view.close() };
}
