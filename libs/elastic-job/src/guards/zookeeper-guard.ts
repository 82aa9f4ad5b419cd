/**
 * The fence for data in ZooKeeper itself: it refuses a writer whose item has been given to another run.
 *
 * - State: one node per job and item, `{path}/{job}/{item}`, with the pair (tokenEpoch, token) of the newest writer as
 *   JSON.
 * - Guarantee: the transaction of the effect checks and raises the pair, against the version that was read. Once a
 *   writer was accepted, writers with a smaller pair are refused, and nothing of theirs is applied.
 * - Failures: after a lost reply it is unknown whether the write was applied, as for any transaction; the same run may
 *   try again.
 */
import { publicCalls } from '../async-context/index.js';
import {
  FencedError,
  type FencedStore,
  type FencePosition,
  isAheadOf,
  type JobName,
  readFields,
} from '../domain/index.js';
import { namesBelow, type Operation, type RegistryCenter, type TransactionResult } from '../registry/index.js';
import { repeat } from '../repeat/index.js';
import { FenceAheadError, FenceContentionError, FenceNodeError, MissingTokenError } from './fence.errors.js';
import type { FencedRun } from './fenced-write.js';

/** Each refusal means that another run has written, so this is far more than an item ever needs. */
const MOST_RACES = 50;
/** A transaction id of ZooKeeper has 64 bits. */
const TOKEN = /^\d{1,20}$/;

type Fence = FencePosition & { readonly version: number };

/**
 * Guards nodes of one registry against stale runs; the registry of the jobs (`REGISTRY_CENTER`), or another one.
 *
 * ```ts
 * const guard = new ZooKeeperGuard(registry, '/fences');
 * await guard.write(context, [{ kind: 'set', path: '/ledger/balance', data: balance }]);
 * ```
 */
@publicCalls()
export class ZooKeeperGuard implements FencedStore {
  /** @param path parent of the fences, outside of the jobs' own trees; created on first use */
  constructor(
    private readonly registry: RegistryCenter,
    private readonly path: string,
  ) {}

  /**
   * Applies the operations in one transaction, provided that no newer run of the item has written. 2 requests.
   * @returns the result of the operations; if they are refused, the fence stays as it was
   * @throws {FencedError} if a newer run has written; nothing was applied. Let it pass: another run has the item.
   * @throws {FenceNodeError} if the fence's node holds a text that no guard has written; nothing was applied.
   * @throws {MissingTokenError} if the job runs without `monitorExecution`.
   * @throws {TypeError} if the operations name a path twice. @see Operation
   * @throws {RegistryUnavailableError} if no server answered; `fate` says whether the operations may have been applied.
   */
  async write(run: FencedRun, operations: readonly Operation[]): Promise<TransactionResult> {
    const { jobName, shardingItem: item, tokenEpoch, token } = run;
    if (token === undefined) throw new MissingTokenError(jobName, item);
    const path = this.pathOf(jobName, item);
    const lostRace = () => new FenceContentionError(jobName, item);
    const policy = { signal: undefined, mostAttempts: MOST_RACES, isRepeated: () => false, lostRace };
    return repeat(policy, async () => {
      const fence = await this.read(path);
      if (fence !== undefined && isAheadOf(fence, { tokenEpoch, token })) throw new FencedError(jobName, item, token);
      const result = await this.registry.transaction([advance(path, fence, { tokenEpoch, token }), ...operations]);
      if (result.kind === 'committed') return { ...result, results: result.results.slice(1) };
      if (result.index > 0) return { ...result, index: result.index - 1 };
      if (result.refusal === 'NO_NODE') await this.registry.ensurePath(`${this.path}/${jobName}`);
      return undefined;
    });
  }

  /** 2 requests. @see FencedStore */
  async assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void> {
    const names = await namesBelow(this.registry, `${this.path}/${jobName}`);
    const paths = names.map((name) => this.pathOf(jobName, name));
    const nodes = await this.registry.readMany(paths);
    const fences = nodes.flatMap((node, index) =>
      node ? [{ ...positionIn(node.data, paths[index]!), item: Number(names[index]) }] : [],
    );
    const [newest] = fences.toSorted((a, b) => (isAheadOf(a, b) ? -1 : 1));
    if (newest === undefined || !isAheadOf(newest, registry)) return;
    const { item, ...stored } = newest;
    throw new FenceAheadError(jobName, item, stored, registry);
  }

  private pathOf(jobName: JobName, item: number | string): string {
    return `${this.path}/${jobName}/${item}`;
  }

  private async read(path: string): Promise<Fence | undefined> {
    const node = await this.registry.read(path);
    return node && { ...positionIn(node.data, path), version: node.stat.version };
  }
}

/** A run that has written before leaves the fence as it is, so that its own writes do not conflict. */
function advance(path: string, fence: Fence | undefined, own: FencePosition): Operation {
  const data = formatFence(own);
  if (fence === undefined) return { kind: 'create', path, data, mode: 'PERSISTENT' };
  const { version } = fence;
  return isAheadOf(own, fence) ? { kind: 'set', path, data, version } : { kind: 'check', path, version };
}

function positionIn(text: string, path: string): FencePosition {
  const position = parseFence(text);
  if (position === undefined) throw new FenceNodeError(path);
  return position;
}

/** The text of a fence's node. */
export function formatFence({ tokenEpoch, token }: FencePosition): string {
  return JSON.stringify({ tokenEpoch, token: token.toString() });
}

/** Reads a fence. @returns undefined if the text is none */
export function parseFence(text: string): FencePosition | undefined {
  const { tokenEpoch, token } = readFields(text) ?? {};
  const isPosition = typeof tokenEpoch === 'number' && Number.isSafeInteger(tokenEpoch);
  return isPosition && typeof token === 'string' && TOKEN.test(token)
    ? { tokenEpoch, token: BigInt(token) }
    : undefined;
}
