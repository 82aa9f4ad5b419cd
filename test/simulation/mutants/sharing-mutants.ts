import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import type {
  MemoryRegistryCenter,
  Operation,
  RegistryCenter,
  RequestOptions,
  Subtree,
  TransactionResult,
} from '../../../libs/elastic-job/src/registry/index.js';
import type { Mutant } from './mutants.js';
import { overriding } from './overriding.js';

/** Mutants that share requests wrongly. */
export const SHARING_MUTANTS: readonly Mutant[] = [
  {
    name: 'begins of the neighbours of a refusal',
    foundBy: [3, 5, 16, 26],
    mutation: { through: (center, clock) => grouping(center, clock, droppingNeighbours) },
  },
  {
    name: 'sync after the trigger',
    foundBy: [20],
    mutation: { through: withEarlierSync },
  },
  {
    name: 'refusals of their own',
    foundBy: [1, 2, 24],
    mutation: { through: (center, clock) => grouping(center, clock, toldToNext) },
  },
];

interface Member {
  readonly operations: readonly Operation[];
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: TransactionResult) => void;
  readonly reject: (error: unknown) => void;
}

type Send = (operations: readonly Operation[], options?: RequestOptions) => Promise<TransactionResult>;
/** Answers a group of at least two. */
type Answering = (group: readonly Member[], send: Send) => Promise<void>;

/** A registry that receives operations sharing a request as one transaction. `answering` deals out its answer. */
function grouping(center: MemoryRegistryCenter, clock: Clock, answering: Answering): RegistryCenter {
  const send: Send = (operations, options) => center.transaction(operations, options);
  let waiting: Member[] = [];
  const leave = async () => {
    await clock.nextTurn();
    const { group, others } = distinct(waiting);
    waiting = [];
    for (const other of others) void sendAlone(other, send);
    if (group.length === 1) return sendAlone(group[0]!, send);
    await answering(group, send).catch((error: unknown) => {
      for (const { reject } of group) reject(error);
    });
  };
  return overriding<RegistryCenter>(center, {
    transaction: (operations, options) => {
      if (options?.dueAt === undefined) return send(operations, options);
      return new Promise((resolve, reject) => {
        if (waiting.push({ operations, signal: options.signal, resolve, reject }) === 1) void leave();
      });
    },
  });
}

/** Answers the refused member, and never the others. */
const droppingNeighbours: Answering = async (group, send) => {
  const result = await send(operationsOf(group));
  if (result.kind === 'committed') return deal(group, result);
  const { member, index } = blamed(group, result.index);
  member.resolve({ ...result, index });
};

/** Sends the others again without the refused member, and deals their answers out one too far. */
const toldToNext: Answering = async (group, send) => {
  const result = await send(operationsOf(group));
  if (result.kind === 'committed') return deal(group, result);
  const { member, index } = blamed(group, result.index);
  const others = group.filter((one) => one !== member);
  const again = await send(operationsOf(others));
  if (again.kind === 'refused') return void group.map((one) => sendAlone(one, send));
  const next = group[(group.indexOf(member) + 1) % group.length]!;
  const told = others.map((one) => (one === next ? member : one));
  next.resolve({ ...result, index });
  deal(told, again, others);
};

/** Views accept every sync of the last 200 ms, so a trigger may see a state from before it was due. */
function withEarlierSync(center: MemoryRegistryCenter): RegistryCenter {
  const openSubtree: RegistryCenter['openSubtree'] = async (path, listener, options) => {
    const view = await center.openSubtree(path, listener, options);
    return overriding<Subtree>(view, { sync: (how) => view.sync({ ...how, asOf: -Infinity }) });
  };
  return overriding<RegistryCenter>(center, { openSubtree });
}

async function sendAlone({ operations, signal, resolve, reject }: Member, send: Send): Promise<void> {
  await send(operations, { signal }).then(resolve, reject);
}

/** A group names each path in one member only, since it is sent as one transaction. */
function distinct(members: readonly Member[]) {
  const named = new Set<string>();
  const [group, others]: [Member[], Member[]] = [[], []];
  for (const member of members) {
    const paths = member.operations.map(({ path }) => path);
    (paths.some((path) => named.has(path)) ? others : group).push(member);
    for (const path of paths) named.add(path);
  }
  return { group, others };
}

function operationsOf(group: readonly Member[]): readonly Operation[] {
  return group.flatMap(({ operations }) => operations);
}

/** @param sent members to which the results belong, in their order */
function deal(group: readonly Member[], result: TransactionResult & { kind: 'committed' }, sent = group): void {
  let next = 0;
  for (const [position, { operations }] of sent.entries()) {
    group[position]!.resolve({ ...result, results: result.results.slice(next, (next += operations.length)) });
  }
}

function blamed(group: readonly Member[], index: number): { readonly member: Member; readonly index: number } {
  let left = index;
  for (const member of group) {
    if (left < member.operations.length) return { member, index: left };
    left -= member.operations.length;
  }
  throw new TypeError(`No operation ${index}.`);
}
