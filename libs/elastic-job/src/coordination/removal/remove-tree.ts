import { waitFor } from '../../clock/index.js';
import { type JobName, parseCreatedJob, parseStartLedger, UnknownJobError } from '../../domain/index.js';
import type { Operation, RegistryCenter, Subtree } from '../../registry/index.js';
import { ContentionError, JobPaths, untilAccepted } from '../job-tree/index.js';

const MOST_REFUSALS = 50;

/**
 * Removes everything of a job, in one transaction if it fits, else in as few as possible. The entries at the jobs after
 * which it starts go first, then the instances, so that no instance works on the rest. Nodes written meanwhile are
 * removed as well.
 * @throws {UnknownJobError}
 */
export async function removeTree(registry: RegistryCenter, jobName: JobName): Promise<void> {
  const paths = new JobPaths(jobName);
  let isKnown = false;
  await untilAccepted(jobName, 'removing the job', async () => {
    const operations = await viewing(registry, paths, (view) => deletions(registry, paths, view));
    if (operations.length === 0 && !isKnown) throw new UnknownJobError(jobName, 'registry');
    isKnown = true;
    return (await isDone(registry, operations)) ? true : undefined;
  });
}

/**
 * Removes everything of a created job that is marked for removal, once no instance is left in it. The root goes last:
 * until then no job of that name can be created, and after a crash another process continues.
 * @param mayWait false: gives up while an instance is left
 * @returns false if an instance is left @throws the signal's reason
 */
export async function removeAbandoned(
  registry: RegistryCenter,
  jobName: JobName,
  { mayWait, signal }: { readonly mayWait: boolean; readonly signal?: AbortSignal },
): Promise<boolean> {
  const paths = new JobPaths(jobName);
  let wake = () => {};
  const whenChanged = (goOn: () => void) => {
    wake = () => goOn();
    return () => {};
  };
  const work = async (view: Subtree) => {
    for (let refusals = 0; refusals < MOST_REFUSALS;) {
      signal?.throwIfAborted();
      if (!isToGo(view, paths)) return true;
      const isOccupied = [paths.instances, paths.sessions].some((path) => view.children(path).length > 0);
      if (isOccupied && !mayWait) return false;
      if (!isOccupied && (await isDone(registry, await deletions(registry, paths, view)))) return true;
      // A refusal means that another client has changed something, which the next sync shows.
      if (isOccupied) await waitFor<void>(whenChanged, signal);
      else refusals += 1;
      await view.sync({ signal });
    }
    throw new ContentionError(jobName, 'removing the job');
  };
  return viewing(registry, paths, work, () => wake());
}

function isToGo(view: Subtree, { root }: JobPaths): boolean {
  return parseCreatedJob(view.node(root)?.data ?? '')?.isBeingRemoved === true;
}

async function viewing<T>(
  registry: RegistryCenter,
  { root }: JobPaths,
  work: (view: Subtree) => Promise<T>,
  onEvent: () => void = () => {},
): Promise<T> {
  const view = await registry.openSubtree(root, onEvent, { holds: (path) => path === root });
  try {
    return await work(view);
  } finally {
    view.close();
  }
}

/** @returns false if one was refused */
async function isDone(registry: RegistryCenter, operations: readonly Operation[]): Promise<boolean> {
  for (const batch of inBatches(registry, operations)) {
    const { kind } = await registry.transaction(batch);
    if (kind === 'refused') return false;
  }
  return true;
}

async function deletions(registry: RegistryCenter, paths: JobPaths, view: Subtree): Promise<readonly Operation[]> {
  const all = deepestFirst(view, paths.root);
  // Without these nodes no instance can register any more.
  const isMember = (path: string) =>
    [paths.instances, paths.sessions].some((parent) => path === parent || path.startsWith(`${parent}/`));
  const ordered = [...all.filter(isMember), ...all.filter((path) => !isMember(path))];
  const entries = await entriesAtParents(registry, paths);
  return [...entries, ...ordered].map((path) => ({ kind: 'delete', path }));
}

/** Entries of this job at the jobs after which it starts. */
async function entriesAtParents(registry: RegistryCenter, { after, jobName }: JobPaths): Promise<readonly string[]> {
  const ledger = parseStartLedger((await registry.read(after))?.data ?? '');
  const entries = (ledger?.parents ?? []).map((parent) => new JobPaths(parent).dependent(jobName));
  const nodes = entries.length === 0 ? [] : await registry.readMany(entries);
  return entries.filter((_, index) => nodes[index] !== undefined);
}

function deepestFirst(view: Subtree, path: string): string[] {
  if (!view.has(path)) return [];
  return [...view.children(path).flatMap((name) => deepestFirst(view, `${path}/${name}`)), path];
}

/** Splits operations into batches as large as a request may be. */
function inBatches(registry: RegistryCenter, operations: readonly Operation[]): (readonly Operation[])[] {
  if (operations.length === 0) return [];
  if (operations.length === 1 || registry.transactionBytes(operations) <= registry.maxRequestBytes) return [operations];
  const middle = Math.ceil(operations.length / 2);
  return [...inBatches(registry, operations.slice(0, middle)), ...inBatches(registry, operations.slice(middle))];
}
