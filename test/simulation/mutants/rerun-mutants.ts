import { parseRunRecord, rerunIdOf, type RunRecord } from '../../../libs/elastic-job/src/domain/index.js';
import type {
  MemoryRegistryCenter,
  Operation,
  RegistryCenter,
  Subtree,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { Mutant } from './mutants.js';
import { changing, overriding, RECORD, STILL } from './overriding.js';

/** Mutants of re-runs. */
export const RERUN_MUTANTS: readonly Mutant[] = [
  { name: 'debts beside re-runs', foundBy: [36], mutation: { through: withPaidDebts } },
  { name: 'look for open re-runs', foundBy: [40], mutation: { through: withoutEarlierReruns } },
  { name: 'checkpoint beside re-runs', foundBy: [36], mutation: { through: withSavedCheckpoint } },
  { name: 'ability of all instances', foundBy: [39], mutation: { through: withAbleInstances } },
  { name: 'progress within the settle', foundBy: [38], mutation: { through: withSplitProgress } },
];

const PROGRESS = /^\/[^/]+\/reruns\/[^/]+\/\d+$/;
const INSTANCE = /^\/[^/]+\/instances\/./;

/** The record of a re-run that an operation writes. */
function rerunRecordIn(operation: Operation): RunRecord | undefined {
  if (operation.kind !== 'set' || !RECORD.test(operation.path)) return undefined;
  const stored = parseRunRecord(operation.data);
  return stored.kind === 'record' && rerunIdOf(stored.record.target.origin) !== undefined ? stored.record : undefined;
}

/** A re-run pays all that the schedule owes by then. */
function withPaidDebts(center: MemoryRegistryCenter): RegistryCenter {
  const paid = (operation: Operation): Operation => {
    const record = rerunRecordIn(operation);
    if (record === undefined || operation.kind !== 'set') return operation;
    return { ...operation, data: JSON.stringify({ v: 1, ...record, lastScheduled: record.begunAt }) };
  };
  return changing(center, (operations, send) => send(operations.map(paid)));
}

/** A session knows only the re-runs that it has seen coming, so all are forgotten when all instances have crashed. */
function withoutEarlierReruns(center: MemoryRegistryCenter): RegistryCenter {
  return seeing(center, (view, root) => {
    const reruns = `${root}/reruns`;
    const earlier = new Set(view.children(reruns));
    return { children: (at) => view.children(at).filter((name) => at !== reruns || !earlier.has(name)) };
  });
}

/** A re-run saves into the checkpoint of the schedule, where it only proves that it may. */
function withSavedCheckpoint(center: MemoryRegistryCenter): RegistryCenter {
  const reruns = new Set<string>();
  return changing(center, async (operations, send) => {
    for (const operation of operations) {
      if (operation.kind !== 'set' || !RECORD.test(operation.path)) continue;
      if (rerunRecordIn(operation) === undefined) reruns.delete(operation.path);
      else reruns.add(operation.path);
    }
    const [proof] = operations;
    if (proof?.kind !== 'check' || operations.length > 1 || !reruns.has(proof.path)) return send(operations);
    const checkpoint = { path: proof.path.replace('/record', '/checkpoint'), data: '0' };
    const saved = await send([proof, { kind: 'set', ...checkpoint }]);
    if (saved.kind === 'committed' || saved.index === 0) return saved;
    return send([proof, { kind: 'create', mode: 'PERSISTENT', ...checkpoint }]);
  });
}

/** Every instance counts as one that can run re-runs. */
function withAbleInstances(center: MemoryRegistryCenter): RegistryCenter {
  return seeing(center, (view) => ({
    node: (at) => {
      const node = view.node(at);
      if (node === undefined || !INSTANCE.test(at) || node.data.includes(' can=')) return node;
      return { ...node, data: node.data.replace(/^labels: .*$/m, '$& can=reruns') };
    },
  }));
}

/** Settles a target first, and notes the progress in a transaction of its own. */
function withSplitProgress(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, async (operations, send) => {
    const isProgress = ({ kind, path }: Operation) => kind !== 'delete' && PROGRESS.test(path);
    if (!operations.some(isProgress) || operations.every(isProgress)) return send(operations);
    const settled = await send(operations.map((one) => (isProgress(one) ? STILL : one)));
    return settled.kind === 'refused' ? settled : send(operations.map((one) => (isProgress(one) ? one : STILL)));
  });
}

/** A registry whose views answer in another way. @param answers those of the view of a job's root */
function seeing(
  center: MemoryRegistryCenter,
  answers: (view: Subtree, root: string) => Partial<Subtree>,
): RegistryCenter {
  return overriding<RegistryCenter>(center, {
    openSubtree: async (path, listener, options) => {
      const view = await center.openSubtree(path, listener, options);
      return overriding<Subtree>(view, answers(view, path));
    },
  });
}
