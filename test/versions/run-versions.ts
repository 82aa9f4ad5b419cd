import { setTimeout as delay } from 'node:timers/promises';
import { failoverBoundMs, type JobPlan, judge, type Judgement } from '../chaos/cluster/check/index.js';
import { clusterOptions, leaveInOrder } from '../chaos/cluster/run-chaos.js';
import { Cluster } from '../chaos/cluster/stage/cluster.js';
import type { Worker } from '../chaos/cluster/stage/worker.js';
import type { Ensemble } from '@test/support/faults/index.js';
import { TreeWitness } from '@test/support/peers/tree-witness.js';
import { Seeded } from '@test/support/seeded.js';
import type { Release } from './releases.js';

const JOBS: readonly JobPlan[] = ['first', 'second'].map((name) => ({
  name,
  cron: '* * * * * ?',
  periodMs: 1_000,
  items: 6,
}));
const WORKERS = 4;
const BEHAVIOUR = { leastMs: 20, mostMs: 300, version: '' };
/** Pause between two replacements, so that they come at every phase of a second. */
const CALM_MS = 730;
const SHARE_LIMIT_MS = 60_000;
/** Long enough for processes that start beside each other on a busy machine. */
const SESSION_TIMEOUT_MS = 5_000;

export interface VersionsOptions {
  readonly ensemble: Ensemble;
  readonly older: Release;
  readonly newer: Release;
  /** How long half of the workers are of each release, while workers are killed one after the other. */
  readonly halfMs: number;
  readonly seed: number;
  /** Time that a due target may wait without an excuse. */
  readonly slackMs: number;
}

/** The record of an item, parsed from its text. */
type RecordFields = Readonly<Record<string, unknown>>;

/** The result of a run of two releases. */
export interface VersionsResult extends Judgement {
  readonly kills: number;
  /** Labels of the instances when half of the workers were of each release: that of the older release comes first. */
  readonly labels: readonly string[];
  /** The records of all items when all workers were of the newer release, and when they were of the older one again. */
  readonly upgraded: readonly RecordFields[];
  readonly rolledBack: readonly RecordFields[];
}

/**
 * Two releases that share jobs: a rolling upgrade that stops half way for a while, with kills, and then goes on. Then a
 * rollback, in order for one half of the workers and by kills for the other.
 */
export async function runVersions(options: VersionsOptions): Promise<VersionsResult> {
  const { ensemble, older, newer, halfMs, seed, slackMs } = options;
  const namespace = `versions-${older.name}-${newer.name}`;
  const programs = { node: older.program };
  const given = { namespace, jobs: JOBS, workers: WORKERS, version: BEHAVIOUR };
  const same = clusterOptions({ kind: 'node', programs, ensemble }, given);
  const cluster = await Cluster.start({ ...same, sessionTimeoutMs: SESSION_TIMEOUT_MS, slackMs });
  const stage = new VersionsStage(cluster, new Seeded(seed), older);
  try {
    const from = Date.now();
    await stage.replace(newer, WORKERS / 2);
    const labels = await stage.labels();
    await stage.killFor(halfMs);
    await stage.replace(newer, WORKERS);
    const upgraded = await stage.recordsIn(newer.protocol);
    await stage.replace(older, WORKERS / 2);
    await stage.killAll(newer, older);
    const rolledBack = await stage.recordsIn(older.protocol);
    await delay(failoverBoundMs(cluster.options));
    const span = { from, to: Date.now() };
    const litter = await leaveInOrder(cluster);
    const judgement = judge(await cluster.history(span));
    return {
      ...judgement,
      violations: [...judgement.violations, ...litter],
      kills: cluster.faults.faults.length,
      labels,
      upgraded,
      rolledBack,
    };
  } finally {
    await cluster.stop();
  }
}

/** Workers of two releases, as they come and go. */
class VersionsStage {
  readonly #releases = new Map<string, Release>();

  /** @param first the release of the workers at the start */
  constructor(
    private readonly cluster: Cluster,
    private readonly random: Seeded,
    first: Release,
  ) {
    for (const { name } of cluster.workforce.all) this.#releases.set(name, first);
  }

  /** Replaces workers of another release until `count` are of this one. */
  async replace(release: Release, count: number): Promise<void> {
    const { workforce, tree } = this.cluster;
    for (const worker of workforce.all.filter((each) => !this.#isOf(release, each))) {
      if (workforce.all.filter((each) => this.#isOf(release, each)).length >= count) break;
      await workforce.leave(worker);
      await this.#join(release);
      await delay(CALM_MS);
    }
    await tree.untilShared(SHARE_LIMIT_MS);
  }

  /** Kills workers one after the other at random. One of the same release takes the place of each. */
  async killFor(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const victim = this.random.of(this.cluster.workforce.all);
      await this.#kill(victim);
      await this.#join(this.#releases.get(victim.name)!);
      await delay(this.random.between(0, 2_000));
    }
  }

  /** Kills all workers of a release at once. Workers of another one take their place. */
  async killAll(release: Release, next: Release): Promise<void> {
    const { workforce, tree } = this.cluster;
    const victims = workforce.all.filter((worker) => this.#isOf(release, worker));
    await Promise.all(victims.map((worker) => this.#kill(worker)));
    for (const _ of victims) await this.#join(next);
    await tree.untilShared(SHARE_LIMIT_MS);
  }

  /** The records of all items once each is in the format of the protocol. @throws if one is not within a while */
  async recordsIn(protocol: number): Promise<readonly RecordFields[]> {
    const signal = AbortSignal.timeout(SHARE_LIMIT_MS);
    for (;;) {
      const records = await this.#records();
      if (records.every(({ v }) => v === protocol)) return records;
      if (signal.aborted) throw new Error(`Not all records are of protocol ${protocol}: ${JSON.stringify(records)}`);
      await delay(CALM_MS);
    }
  }

  /** Labels of all instances, one of each kind. */
  async labels(): Promise<readonly string[]> {
    const texts = await this.#eachJob((witness) =>
      witness.children('instances').map((id) => witness.text(`instances/${id}`) ?? ''),
    );
    const labels = texts.flat().map((text) => /^labels: (.*)$/m.exec(text)?.[1] ?? 'none');
    return [...new Set(labels)].toSorted();
  }

  async #records(): Promise<readonly RecordFields[]> {
    const nodes = await this.#eachJob(async ({ registry }, { items, name }) =>
      registry.readMany(Array.from({ length: items }, (_, item) => `/${name}/sharding/${item}/record`)),
    );
    return nodes.flat().map((node): RecordFields => JSON.parse(node!.data));
  }

  #eachJob<T>(read: (witness: TreeWitness, job: JobPlan) => T): Promise<readonly Awaited<T>[]> {
    const { ensemble, namespace } = this.cluster.options;
    return Promise.all(
      JOBS.map(async (job) => {
        const witness = await TreeWitness.open({
          servers: ensemble.connect,
          namespace,
          job: job.name,
          onChange: () => {},
        });
        const found = await read(witness, job);
        await witness.stop();
        return found;
      }),
    );
  }

  #isOf(release: Release, { name }: Worker): boolean {
    return this.#releases.get(name) === release;
  }

  async #kill(victim: Worker): Promise<void> {
    this.cluster.faults.open({ kind: 'SIGKILL', victim: victim.name, isPause: false, isFatal: true });
    await this.cluster.workforce.kill(victim);
  }

  async #join(release: Release): Promise<void> {
    const { workforce } = this.cluster;
    workforce.version = { ...BEHAVIOUR, program: release.program };
    const { name } = await workforce.join();
    this.#releases.set(name, release);
  }
}
