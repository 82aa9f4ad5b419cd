import type { Clock } from '../clock/index.js';
import type { JobPaths } from '../coordination/index.js';
import { type JobName, nextRerunTarget, RERUN_LIMITS, rerunTargets } from '../domain/index.js';
import type { RegistryCenter } from '../registry/index.js';
import { pathsOf } from './command-arguments.js';
import { type ItemFacts, readItems } from './item-facts.js';
import { rerunOf, type RerunOptions, RerunRefusals } from './rerun-request.js';
import { type KnownRerun, readForRerun, type ReadForRerun, readProgress, timeOf, waitedFor } from './reruns.js';

/** Prospect of a target, which is an item at a fire time. */
export interface RerunPreviewTarget {
  /** Milliseconds since the epoch. */
  readonly fireTime: number;
  readonly item: number;
  /** Id of the instance that owns the item; undefined if there is none. */
  readonly owner: string | undefined;
  /**
   * `in turn`: as soon as the item has ended what comes before; `waits`: for somebody to act, such as to enable the
   * item; `not`: the re-run would be refused.
   */
  readonly begins: 'at once' | 'in turn' | 'waits' | 'not';
  /** The reason, as the end of a sentence or as a whole one. */
  readonly because: string;
}

/** Prospects of a re-run. */
export interface RerunPreview {
  /** By fire time, and then by item. */
  readonly targets: readonly RerunPreviewTarget[];
}

/**
 * Says for each target of a re-run what would become of it. Nothing is written.
 * @throws as `readForRerun` does @throws {InvalidArgumentError} @throws {ConfigurationError}
 * @throws {TooManyRerunsError} for more than 10,000 targets
 */
export async function previewRerun(
  registry: RegistryCenter,
  clock: Clock,
  jobName: JobName,
  options: RerunOptions,
): Promise<RerunPreview> {
  const paths = pathsOf(jobName);
  const asked = rerunOf('JobOperateApi.previewRerun', options, timeOf(registry, clock));
  const facts = await readForRerun(registry, paths, ['instances', 'servers', 'items']);
  const refusals = new RerunRefusals(facts, asked);
  const refusal = refusals.ofJob();
  // They would be too many to look at.
  if (refusal !== undefined && rerunTargets(asked) > RERUN_LIMITS.targets) throw refusal;
  const items = asked.items.filter((item) => facts.job.owners.has(item));
  const [found, earlier] = await Promise.all([
    readItems(registry, facts.job, items),
    readEarlier(registry, paths, facts),
  ]);
  const outlook = new Outlook(
    facts,
    { refusals, ofJob: refusal },
    new Map(found.map((item) => [item.info.item, item])),
    earlier,
  );
  const targets = asked.fireTimes.flatMap((fireTime, index) =>
    asked.items.map((item) => outlook.of(item, fireTime, asked.fireTimes[index - 1])),
  );
  return Object.freeze({ targets: Object.freeze(targets) });
}

/** For each item, the id of an open re-run that has yet to run it. */
async function readEarlier(
  registry: RegistryCenter,
  paths: JobPaths,
  { known }: { readonly known: readonly KnownRerun[] },
): Promise<ReadonlyMap<number, string>> {
  const progress = await readProgress(registry, paths, known);
  const earlier = new Map<number, string>();
  for (const { id, rerun } of known) {
    for (const item of rerun.items) {
      const next = nextRerunTarget(id, rerun, item, progress.get(paths.rerunItem(id, item)));
      if (next !== undefined) earlier.set(item, id);
    }
  }
  return earlier;
}

type Begin = Pick<RerunPreviewTarget, 'because' | 'begins'>;

class Outlook {
  private readonly waitsFor: readonly string[];
  private readonly disabledServers: ReadonlySet<string>;

  constructor(
    private readonly facts: ReadForRerun,
    private readonly refused: { readonly refusals: RerunRefusals; readonly ofJob: Error | undefined },
    private readonly items: ReadonlyMap<number, ItemFacts>,
    private readonly earlier: ReadonlyMap<number, string>,
  ) {
    const { instances, servers } = facts.job;
    this.waitsFor = waitedFor({ instances });
    this.disabledServers = new Set(servers.flatMap(({ serverIp, status }) => (status === 'DISABLED' ? serverIp : [])));
  }

  /** @param before the fire time of the same re-run that comes before */
  of(item: number, fireTime: number, before: number | undefined): RerunPreviewTarget {
    const owner = this.facts.job.owners.get(item);
    const begin = this.refusal(item, fireTime) ?? this.wait(item) ?? this.turn(item, before);
    const { because, begins } = begin ?? { begins: 'at once', because: `item ${item} is free` };
    return Object.freeze({ fireTime, item, owner, begins, because });
  }

  private refusal(item: number, fireTime: number): Begin | undefined {
    const { ofJob, refusals } = this.refused;
    const refusal = ofJob ?? refusals.ofItem(item) ?? refusals.ofFireTime(fireTime);
    return refusal && { begins: 'not', because: refusal.message };
  }

  private wait(item: number): Begin | undefined {
    const { disabledServers, facts, items, waitsFor } = this;
    const waits = (because: string): Begin => ({ begins: 'waits', because });
    if (waitsFor.length > 0) return waits(`a release that has no re-runs is still there: ${waitsFor.join(', ')}`);
    if (items.get(item)?.isDisabled) return waits(`item ${item} is disabled`);
    const owner = facts.job.instances.find(({ jobInstanceId }) => jobInstanceId === facts.job.owners.get(item));
    if (owner === undefined) return waits(`item ${item} has no instance`);
    return disabledServers.has(owner.serverIp) ? waits(`server ${owner.serverIp} is disabled`) : undefined;
  }

  private turn(item: number, before: number | undefined): Begin | undefined {
    const inTurn = (because: string): Begin => ({ begins: 'in turn', because });
    const { info } = this.items.get(item)!;
    const earlier = this.earlier.get(item);
    if (before !== undefined) return inTurn(`it follows ${new Date(before).toISOString()} of the same re-run`);
    if (info.isRunning) return inTurn(`item ${item} still runs on ${info.holder}`);
    if (info.isQueued) return inTurn(`item ${item} has yet to be taken over from an instance that is gone`);
    if (info.isMisfired) return inTurn(`a missed fire time of item ${item} goes first`);
    return earlier === undefined ? undefined : inTurn(`it follows re-run ${earlier}`);
  }
}
