/**
 * The fence for what jobs keep in ZooKeeper itself: it turns away a writer whose item has been handed to somebody else.
 *
 * - State: one node per job and item, `{path}/{job}/{item}`, with the pair (tokenEpoch, token) of the newest writer
 *   as JSON.
 * - Guarantee: the pair is checked and raised in the transaction of the effect, against the version that was read.
 *   Once a writer was accepted, no writer with a smaller pair is, and nothing that it tried is applied.
 * - Failures: a lost reply leaves the fate of the write open, as of any transaction; it may be tried again by the
 *   same run.
 */
import { type FencedStore, type FencePosition, FencedError, isAheadOf, type JobName } from '../domain/index.js';
import { NoNodeError, type Operation, type RegistryCenter, type TransactionResult } from '../registry/index.js';
import { formatFence, parseFence } from './fence-text.js';
import { FenceAheadError, FenceContentionError, FenceNodeError, MissingTokenError } from './fence.errors.js';
import type { FencedRun } from './fenced-run.js';

/** Each refusal means that another run has written: far more than an item ever has at a time. */
const MOST_ROUNDS = 50;

type Fence = FencePosition & { readonly version: number };

/**
 * Guards nodes of one registry against stale runs; that of the jobs (`REGISTRY_CENTER`), or another one.
 *
 * ```ts
 * const guard = new ZooKeeperGuard(registry, '/fences');
 * await guard.write(context, [{ kind: 'set', path: '/ledger/balance', data: balance }]);
 * ```
 */
export class ZooKeeperGuard implements FencedStore {
  /** @param path below which the fences stand, outside of the jobs' own trees; made when first needed */
  constructor(
    private readonly registry: RegistryCenter,
    private readonly path: string,
  ) {}

  /**
   * Applies the operations in one transaction, provided that no newer run of the item has written. 2 requests.
   * @returns what came of the operations; their refusal is an answer, and then the fence stays as it was
   * @throws {FencedError} if a newer run has written; nothing was applied. Let it pass: the item is in other hands.
   * @throws {FenceNodeError} if somebody else has written the fence's node; nothing was applied.
   * @throws {MissingTokenError} if the job runs without `monitorExecution`.
   * @throws {RegistryUnavailableError} if no server answered; `fate` says if the operations may have been applied.
   */
  async write(run: FencedRun, operations: readonly Operation[]): Promise<TransactionResult> {
    const { jobName, shardingItem: item, tokenEpoch, token } = run;
    if (token === undefined) throw new MissingTokenError(jobName, item);
    const path = this.pathOf(jobName, item);
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const fence = await this.read(path);
      if (fence !== undefined && isAheadOf(fence, { tokenEpoch, token })) throw new FencedError(jobName, item, token);
      const result = await this.registry.transaction([advance(path, fence, { tokenEpoch, token }), ...operations]);
      if (result.kind === 'committed') return { ...result, results: result.results.slice(1) };
      if (result.index > 0) return { ...result, index: result.index - 1 };
      if (result.refusal === 'NO_NODE') await this.registry.ensurePath(`${this.path}/${jobName}`);
    }
    throw new FenceContentionError(jobName, item);
  }

  /** 2 requests. @see FencedStore */
  async assertNotAhead(jobName: JobName, registry: FencePosition): Promise<void> {
    const names = await this.items(jobName);
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

  private async items(jobName: JobName): Promise<readonly string[]> {
    try {
      return await this.registry.children(`${this.path}/${jobName}`);
    } catch (error) {
      if (error instanceof NoNodeError) return [];
      throw error;
    }
  }
}

/** A run that has written before leaves the fence as it is, so that its writes do not hinder each other. */
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
