import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type {
  MemoryRegistryCenter,
  Operation,
  RegistryCenter,
  SessionInfo,
  Subtree,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { Mutation } from '../world/world.js';
import { changing, overriding, RECORD, STILL } from './overriding.js';

/** One promise of the library that is switched off from outside, with the invariants that find it. */
export interface Mutant {
  readonly name: string;
  readonly mutation: Mutation;
  /** The mutant is found if one of these is broken. */
  readonly foundBy: readonly number[];
}

export const MUTANTS: readonly Mutant[] = [
  { name: 'fencing', foundBy: [2], mutation: { store: () => ({ apply: () => true }) } },
  { name: 'abort-before-expiry', foundBy: [17], mutation: { through: withoutOwnLoss } },
  { name: 'transactional claim', foundBy: [18], mutation: { through: withSplitClaims } },
  { name: 'leader check', foundBy: [9, 19], mutation: { through: withoutLeaderCheck } },
  { name: 'sweep', foundBy: [22], mutation: { through: withoutSweep } },
  { name: "begin's compare-and-set", foundBy: [21], mutation: { through: withoutCompareAndSet } },
  { name: 'start within the settle', foundBy: [23], mutation: { through: withSplitStarts } },
  { name: "count's compare-and-set", foundBy: [23], mutation: { through: withoutCountVersion } },
  {
    name: 'refusals of assertHeld',
    foundBy: [24],
    mutation: { context: (context) => ({ ...context, assertHeld: () => {} }) },
  },
  {
    name: 'the lease in assertHeld',
    foundBy: [24],
    mutation: { through: (center) => overriding<RegistryCenter>(center, { leaseRemainingMs: () => 1 }) },
  },
  { name: 'look at own marks', foundBy: [26], mutation: { through: withoutRelease } },
  {
    name: "registry's time",
    foundBy: [28],
    mutation: { through: (center) => overriding<RegistryCenter>(center, { time: () => undefined }) },
  },
  { name: 'record of an ended item', foundBy: [21], mutation: { through: withoutEnded } },
  { name: 'sync-before-assign', foundBy: [20], mutation: { through: withoutSync } },
];

const MARK = /^\/[^/]+\/sharding\/\d+\/(running|failovering|failover)$/;
const STARTS = /^\/[^/]+\/after$/;
const COUNT = /^\/[^/]+\/dependents$/;
const QUEUED = /^\/[^/]+\/leader\/failover\/items\/\d+$/;
const ENDED = /^\/[^/]+\/ended$/;
const LEADER = /^\/[^/]+\/leader\/election\/instance$/;
const TERM = /^\/[^/]+\/leader\/election\/term$/;

/** Reports LOST when the registry says so, after a reconnect. This process never declares it by itself. */
function withoutOwnLoss(center: MemoryRegistryCenter): RegistryCenter {
  const onSession: RegistryCenter['onSession'] = (listener) => {
    let lost: SessionInfo | undefined;
    return center.onSession((session) => {
      if (session.state !== 'LOST') {
        if (lost !== undefined) listener(lost);
        listener(session);
      }
      lost = session.state === 'LOST' ? session : undefined;
    });
  };
  const openSubtree: RegistryCenter['openSubtree'] = async (path, listener, options) => {
    const view = await center.openSubtree(path, listener, options);
    return overriding<Subtree>(view, {
      has: (at) => whileItLives(() => view.has(at)) ?? false,
      node: (at) => whileItLives(() => view.node(at)),
      children: (at) => whileItLives(() => view.children(at)) ?? [],
    });
  };
  return overriding<RegistryCenter>(center, { onSession, openSubtree, leaseRemainingMs: () => 1 });
}

/** A claim removes the entry first, and then begins. */
function withSplitClaims(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, async (operations, send) => {
    const entry = operations.find(({ kind, path }) => kind === 'delete' && QUEUED.test(path));
    if (entry === undefined || !operations.some(({ kind, path }) => kind === 'create' && MARK.test(path))) {
      return send(operations);
    }
    const removed = await send([entry]);
    return removed.kind === 'refused' ? removed : send(operations.map((one) => (one === entry ? STILL : one)));
  });
}

/** Leader's writes are not guarded by the term. The checks that were meant are kept for the log. */
function withoutLeaderCheck(center: MemoryRegistryCenter): RegistryCenter {
  const unguarded = (operation: Operation): Operation => {
    if (operation.kind !== 'check') return operation;
    if (LEADER.test(operation.path)) return STILL;
    const meant = { kind: 'check', path: operation.path, meant: operation.version } as const;
    return TERM.test(operation.path) ? meant : operation;
  };
  return changing(center, (operations, send) => send(operations.map(unguarded)));
}

/** Orphans are not queued, and their marks are not removed. */
function withoutSweep(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, async (operations, send) => {
    const isLeaders = operations.some(({ kind, path }) => kind === 'check' && TERM.test(path));
    const sweeps = operations.some(({ kind, path }) => kind === 'delete' && MARK.test(path));
    return isLeaders && sweeps ? { kind: 'committed', results: [] } : send(operations);
  });
}

/** Instances do not release marks in their own name. */
function withoutRelease(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, async (operations, send) => {
    const [first, ...rest] = operations;
    const isOfItem = first !== undefined && RECORD.test(first.path) && rest.length > 0;
    const isRelease =
      isOfItem &&
      rest.every(({ kind, path }) => kind === 'delete' && MARK.test(path)) &&
      (first.kind === 'check' || (first.kind === 'set' && first.data.includes('"cause":"released"')));
    return isRelease ? { kind: 'committed', results: [] } : send(operations);
  });
}

/** A begin overwrites any record that it finds. */
function withoutCompareAndSet(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, (operations, send) => {
    const begins = operations.some(({ kind, path }) => kind === 'create' && path.endsWith('/running'));
    const unconditional = (operation: Operation): Operation =>
      operation.kind === 'set' && RECORD.test(operation.path) ? { ...operation, version: undefined } : operation;
    return send(begins ? operations.map(unconditional) : operations);
  });
}

/** Settles the last item first, and makes the start afterwards. */
function withSplitStarts(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, async (operations, send) => {
    const isStart = ({ kind, path }: Operation) => kind === 'set' && STARTS.test(path);
    const starts = operations.filter(isStart);
    if (starts.length === 0 || starts.length === operations.length) return send(operations);
    const settled = await send(operations.map((one) => (isStart(one) ? STILL : one)));
    return settled.kind === 'refused' ? settled : send(operations.map((one) => (isStart(one) ? one : STILL)));
  });
}

/** A count of an item overwrites the counts of others. */
function withoutCountVersion(center: MemoryRegistryCenter): RegistryCenter {
  const unconditional = (operation: Operation): Operation =>
    operation.kind === 'set' && COUNT.test(operation.path) ? { ...operation, version: undefined } : operation;
  return changing(center, (operations, send) => send(operations.map(unconditional)));
}

/** An item that ends takes its record with it. */
function withoutEnded(center: MemoryRegistryCenter): RegistryCenter {
  return changing(center, (operations, send) => send(operations.map((one) => (ENDED.test(one.path) ? STILL : one))));
}

/** Views are used as they are. A sync takes a moment, and brings no news. */
function withoutSync(center: MemoryRegistryCenter, clock: Clock): RegistryCenter {
  return overriding<RegistryCenter>(center, {
    openSubtree: async (path, listener, options) =>
      overriding(await center.openSubtree(path, listener, options), { sync: () => clock.sleep(1) }),
  });
}

function whileItLives<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
