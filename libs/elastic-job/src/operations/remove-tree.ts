import { JobPaths } from '../coordination/index.js';
import { type JobName, parseStartLedger, UnknownJobError } from '../domain/index.js';
import type { Operation, RegistryCenter, Subtree } from '../registry/index.js';
import { untilAccepted } from './until-accepted.js';

/**
 * Removes everything of a job: in one transaction if that fits, else in as few as possible. First goes what the jobs
 * know of it that it is started after, then the instances, so that nobody goes on with what is left. What is written
 * meanwhile is removed as well.
 * @throws {UnknownJobError}
 */
export async function removeTree(registry: RegistryCenter, jobName: JobName): Promise<void> {
  const paths = new JobPaths(jobName);
  let isKnown = false;
  await untilAccepted(jobName, 'removing the job', async () => {
    const operations = await deletions(registry, paths);
    if (operations.length === 0 && !isKnown) throw new UnknownJobError(jobName, 'registry');
    isKnown = true;
    for (const batch of inBatches(registry, operations)) {
      const { kind } = await registry.transaction(batch);
      if (kind === 'refused') return undefined;
    }
    return true;
  });
}

async function deletions(registry: RegistryCenter, paths: JobPaths): Promise<readonly Operation[]> {
  const view = await registry.openSubtree(paths.root, () => {}, { holds: () => false });
  try {
    const all = deepestFirst(view, paths.root);
    const isInstance = (path: string) => path.startsWith(`${paths.instances}/`);
    const ordered = [...all.filter(isInstance), ...all.filter((path) => !isInstance(path))];
    const entries = await entriesAtParents(registry, paths);
    return [...entries, ...ordered].map((path) => ({ kind: 'delete', path }));
  } finally {
    view.close();
  }
}

/** What other jobs know of one that is started after them. */
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

/** As large as a request may be. */
function inBatches(registry: RegistryCenter, operations: readonly Operation[]): (readonly Operation[])[] {
  if (operations.length === 0) return [];
  if (operations.length === 1 || registry.transactionBytes(operations) <= registry.maxRequestBytes) return [operations];
  const middle = Math.ceil(operations.length / 2);
  return [...inBatches(registry, operations.slice(0, middle)), ...inBatches(registry, operations.slice(middle))];
}
