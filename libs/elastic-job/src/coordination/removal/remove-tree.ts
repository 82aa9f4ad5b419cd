import { type JobName, parseCreatedJob, parseStartLedger } from '../../domain/index.js';
import {
  NoNodeError,
  type Operation,
  type RegistryCenter,
  type RequestOptions,
  type SubtreeBounds,
  unlessAbsent,
} from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { errorOfLaterStep, JobPaths, unknownJob, untilAccepted } from '../job-tree/index.js';

/** Most nodes removed by one transaction, so that a tree of any size blocks no process. */
const MOST_AT_ONCE = 2_000;

/**
 * Removes everything of a job, in one transaction if it is small enough, else in as few as possible. The entries at the
 * jobs after which it starts go first, then the instances, so that no instance works on the rest. The settings go right
 * before the root: what is left of a removal that was cut short is still a job, which can be removed. Nodes written
 * meanwhile are removed as well.
 * @throws {UnknownJobError} @throws {PartlyDoneError} if some of the transactions are made
 */
export async function removeTree(registry: RegistryCenter, jobName: JobName): Promise<void> {
  const paths = new JobPaths(jobName);
  const work = 'removing the job';
  let isKnown = false;
  let isBegun = false;
  const onRemoved = () => {
    isBegun = true;
  };
  try {
    await repeat(untilAccepted(jobName, work), async () => {
      const outcome = await removeNodes(registry, paths, { onRemoved });
      if (outcome === 'absent' && !isKnown) throw await unknownJob(registry, jobName);
      isKnown = true;
      return outcome === 'refused' ? undefined : true;
    });
  } catch (error) {
    throw isBegun ? errorOfLaterStep(error, { jobName, work }) : error;
  }
}

/**
 * Removes everything of a created job that is marked for removal, if no instance is left in it. The root goes last:
 * until then no job of that name can be created, and after a crash another process continues.
 * @returns false if an instance is left @throws the signal's reason
 */
export async function removeAbandoned(
  registry: RegistryCenter,
  jobName: JobName,
  options: RequestOptions = {},
): Promise<boolean> {
  const paths = new JobPaths(jobName);
  return repeat(untilAccepted(jobName, 'removing the job'), async () => {
    options.signal?.throwIfAborted();
    const root = await registry.read(paths.root, options);
    if (root === undefined || parseCreatedJob(root.data)?.isBeingRemoved !== true) return true;
    const members = [paths.instances, paths.sessions];
    const found = await Promise.all(members.map((path) => unlessAbsent(registry.children(path, options))));
    if (found.some((names) => names !== undefined && names.length > 0)) return false;
    // They are deleted without a walk: an instance that has registered since then refuses the transaction.
    const empty = members.filter((_, index) => found[index] !== undefined);
    // A job of that name that was created since then has another root, which nobody has written.
    const isSame = { kind: 'check', path: paths.root, version: root.stat.version } as const;
    const outcome = await removeNodes(registry, paths, { ...options, condition: isSame, empty });
    return outcome === 'refused' ? undefined : true;
  });
}

type Condition = Extract<Operation, { readonly kind: 'check' }>;

interface RemovalOptions extends RequestOptions {
  /** Holds for each of the transactions; that of the node itself deletes this version. */
  readonly condition?: Condition;
  /** Those of the nodes of instances and sessions that are there, if they are known to have no children. */
  readonly empty?: readonly string[];
  /** Called after each transaction that has removed nodes. */
  readonly onRemoved?: () => void;
}

/** @returns refused: another client has written or removed a node meanwhile */
async function removeNodes(
  registry: RegistryCenter,
  paths: JobPaths,
  { condition, empty, onRemoved, ...options }: RemovalOptions = {},
): Promise<'removed' | 'absent' | 'refused'> {
  let outcome: 'removed' | 'absent' = 'absent';
  for await (const batch of inBatches(registry, nodesInOrder(registry, paths, empty, options), paths.root, condition)) {
    options.signal?.throwIfAborted();
    const { kind } = await registry.transaction(batch, options);
    if (kind === 'refused') return 'refused';
    outcome = 'removed';
    onRemoved?.();
  }
  return outcome;
}

async function* nodesInOrder(
  registry: RegistryCenter,
  paths: JobPaths,
  empty: readonly string[] | undefined,
  options: RequestOptions,
): AsyncGenerator<readonly string[], void, undefined> {
  yield await entriesAtParents(registry, paths, options);
  // Without these nodes no instance can register any more.
  const members = [paths.instances, paths.sessions];
  const except = [...members, paths.config].map((path) => path.slice(paths.root.length + 1));
  const tree = await openNames(registry, paths.root, options);
  try {
    if (empty !== undefined) yield empty;
    else for (const path of members) yield* childrenFirst(tree, path, options);
    for await (const some of childrenFirst(tree, paths.root, { ...options, except })) {
      if (some.includes(paths.root)) yield* childrenFirst(tree, paths.config, options);
      yield some;
    }
  } finally {
    tree.close();
  }
}

/** Entries of this job at the jobs after which it starts. */
async function entriesAtParents(
  registry: RegistryCenter,
  { after, jobName }: JobPaths,
  options: RequestOptions,
): Promise<readonly string[]> {
  const ledger = parseStartLedger((await registry.read(after, options))?.data ?? '');
  const entries = (ledger?.parents ?? []).map((parent) => new JobPaths(parent).dependent(jobName));
  const nodes = entries.length === 0 ? [] : await registry.readMany(entries, options);
  return entries.filter((_, index) => nodes[index] !== undefined);
}

/**
 * Gathers deletions into batches as large as a request may be, each with the condition. The root goes last, with the
 * node before it. The condition is one of the root; its deletion is the condition.
 */
async function* inBatches(
  registry: RegistryCenter,
  pieces: AsyncIterable<readonly string[]>,
  root: string,
  condition: Condition | undefined,
): AsyncGenerator<readonly Operation[], void, undefined> {
  const guard = condition === undefined ? [] : [condition];
  const bytesOfNone = registry.transactionBytes([]);
  const bytesOf = (deletion: Operation) => registry.transactionBytes([deletion]) - bytesOfNone;
  const most = registry.maxRequestBytes - bytesOf({ kind: 'delete', path: root });
  const bytesOfGuard = registry.transactionBytes(guard);
  let batch: Operation[] = [];
  let bytes = bytesOfGuard;
  const guarded = () => (batch.at(-1)?.path === root ? batch : [...guard, ...batch]);
  for await (const paths of pieces) {
    for (const path of paths) {
      const version = path === root ? condition?.version : undefined;
      const deletion: Operation = { kind: 'delete', path, version };
      const more = bytesOf(deletion);
      const isFull = batch.length >= MOST_AT_ONCE || bytes + more > most;
      if (isFull && path !== root && batch.length > 0) {
        yield guarded();
        batch = [];
        bytes = bytesOfGuard;
      }
      batch.push(deletion);
      bytes += more;
    }
  }
  if (batch.length > 0) yield guarded();
}

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
  const names = await unlessAbsent(registry.children(root, options));
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
  const found = await Promise.all(some.map((name) => unlessAbsent(registry.children(`${path}/${name}`, options))));
  const leaves: string[] = [];
  for (const [index, names] of found.entries()) {
    const name = some[index]!;
    if (names?.length === 0) leaves.push(`${path}/${name}`);
    else if (names !== undefined) parents.push({ name, unseen: [...names], parents: [] });
  }
  return leaves;
}

/**
 * Names of children in a tree. A small tree is read with one view, which takes a few requests for all its nodes. In a
 * larger one each node is asked for its children.
 */
async function openNames(
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
