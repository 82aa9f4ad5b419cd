import { JobPaths } from '../../../libs/elastic-job/src/coordination/index.js';
import { createShardingStrategy, CronSchedule, planSharding } from '../../../libs/elastic-job/src/domain/index.js';
import { acquireLatch, type Subtree, type SubtreeEvent } from '../../../libs/elastic-job/src/registry/index.js';
import { InstanceClock, type TestCluster } from '../../../libs/elastic-job/src/testing/index.js';
import { JavaRegistry } from './java-registry.js';

export interface JavaPeerOptions {
  readonly jobName: string;
  readonly serverIp: string;
  readonly pid?: number;
  /** Time from a request to its answer, in milliseconds. @default 1 */
  readonly latencyMs?: number;
  readonly handler?: (item: number) => unknown;
  /** Written if the job has no configuration yet: lines of YAML. */
  readonly config?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** One run of one item by a Java peer. Milliseconds of virtual wall time. */
export interface JavaRun {
  readonly item: number;
  readonly fireTime: number;
  readonly startedAt: number;
  endedAt: number | undefined;
}

const SHORT_SLEEP_MS = 100;

/**
 * An instance of Java ElasticJob 3.0.5 as the registry sees it. It writes the same nodes in the same order, each in a
 * request of its own, and has the same faults. It handles events one after the other, and one thread runs the job.
 * @see elasticjob-protocol, section 5
 */
export class JavaPeer {
  readonly id: string;
  readonly runs: JavaRun[] = [];
  private readonly clock: InstanceClock;
  private readonly registry: JavaRegistry;
  private readonly paths: JobPaths;
  /** Resolves when its start is over. */
  registered: Promise<void> = Promise.resolve();
  private cache!: Subtree;
  private events: Promise<void> = Promise.resolve();
  private thread: Promise<void> = Promise.resolve();
  private isBusy = false;
  private isStopped = false;

  private constructor(
    private readonly cluster: TestCluster,
    private readonly options: JavaPeerOptions,
  ) {
    const { jobName, serverIp, pid = 4711, latencyMs = 1 } = options;
    this.id = `${serverIp}@-@${pid}`;
    this.paths = new JobPaths(jobName);
    this.clock = new InstanceClock(cluster.clock.fork({ hostAddress: serverIp, pid }));
    this.registry = new JavaRegistry(
      cluster.registry.center({
        namespace: 'test',
        clock: this.clock,
        sessionTimeoutMs: 10_000,
        requestTimeoutMs: 5_000,
        latencyMs,
      }),
    );
  }

  /** Starts the peer. Its start takes time. */
  static launch(cluster: TestCluster, options: JavaPeerOptions): JavaPeer {
    const peer = new JavaPeer(cluster, options);
    peer.registered = peer.register();
    return peer;
  }

  /** The items that it runs now. */
  get running(): number[] {
    return this.runs.filter(({ endedAt }) => endedAt === undefined).map(({ item }) => item);
  }

  /** The process dies; the registry ends its session after the timeout. */
  crash(): void {
    this.isStopped = true;
    this.clock.halt();
    this.cluster.registry.suspend(this.registry.center.session.id!);
  }

  /** Section 5.9: the steps of a Java instance when its connection comes back in the same session. */
  async reconnect(): Promise<void> {
    const { registry, paths } = this;
    const server = paths.server(this.options.serverIp);
    const isEnabled = (await registry.get(server)) === 'ENABLED';
    await registry.persist(server, isEnabled ? 'ENABLED' : 'DISABLED');
    await registry.persistEphemeral(paths.instance(this.id), this.text());
    for (const item of this.localItems()) await registry.removeIfExists(paths.mark(item, 'running'));
  }

  /** Section 5.10 a. */
  async shutdown(): Promise<void> {
    this.isStopped = true;
    this.cache.close();
    if (this.isLeader()) await this.registry.removeIfExists(this.paths.leader);
    await this.registry.removeIfExists(this.paths.instance(this.id));
    await this.registry.center.close();
  }

  /** Section 5.1. */
  private async register(): Promise<void> {
    const { registry, paths, options } = this;
    await registry.center.connect();
    if (!(await registry.exists(paths.config))) await this.install();
    this.cache = await registry.center.openSubtree(paths.root, (event) => this.hear(event));
    await this.elect();
    await registry.persist(paths.server(options.serverIp), 'ENABLED');
    await registry.persistEphemeral(paths.instance(this.id), this.text());
    await this.removeOfflineServers();
    this.schedule();
  }

  private async install(): Promise<void> {
    const { paths, registry, options } = this;
    const lines = Object.entries({ jobName: options.jobName, ...options.config }).filter(
      ([, value]) => value !== undefined,
    );
    await registry.persist(paths.config, lines.map(([key, value]) => `${key}: ${value}\n`).join(''));
    await registry.persist(paths.root, options.jobName);
  }

  private text(): string {
    return `jobInstanceId: ${this.id}\nserverIp: ${this.options.serverIp}\n`;
  }

  /** Fault 1: a server loses its node if its instance registers between the two reads. */
  private async removeOfflineServers(): Promise<void> {
    const online = (await this.registry.children(this.paths.instances)).map((id) => id.split('@-@')[0]);
    for (const ip of await this.registry.children(this.paths.servers)) {
      if (!online.includes(ip)) await this.registry.removeIfExists(this.paths.server(ip));
    }
  }

  // --- reads of the cache

  private cached(path: string): string | undefined {
    return this.cache.node(path)?.data;
  }

  private setting(key: string): string | undefined {
    return new RegExp(`^${key}: (.*)$`, 'm').exec(this.cached(this.paths.config) ?? '')?.[1];
  }

  private isOn(key: string): boolean {
    return this.setting(key) === 'true';
  }

  private get total(): number {
    return Number(this.setting('shardingTotalCount'));
  }

  private isLeader(): boolean {
    return this.cached(this.paths.leader) === this.id;
  }

  private isServerEnabled(ip: string): boolean {
    return this.cached(this.paths.server(ip)) === 'ENABLED';
  }

  private localItems(): number[] {
    if (!this.isServerEnabled(this.options.serverIp)) return [];
    return this.allItems().filter((item) => this.cached(this.paths.mark(item, 'instance')) === this.id);
  }

  private allItems(): number[] {
    return [...Array(this.total).keys()];
  }

  // --- events

  private hear({ kind, ...event }: SubtreeEvent): void {
    if (kind === 'reset' || this.isStopped) return;
    const path = 'path' in event ? event.path : '';
    this.events = this.events.then(() => this.react(kind, path)).catch(() => {}); // The process is dead, or leaving.
  }

  private async react(kind: 'created' | 'changed' | 'deleted', path: string): Promise<void> {
    const node = this.paths.parse(path);
    const isOwnServer = node.kind === 'server' && node.serverIp === this.options.serverIp;
    if (node.kind === 'leader' && kind === 'deleted' && this.isServerEnabled(this.options.serverIp)) await this.elect();
    if (isOwnServer && this.cached(path) !== 'DISABLED' && !this.cache.has(this.paths.leader)) await this.elect();
    if (isOwnServer && this.cached(path) === 'DISABLED' && this.isLeader()) {
      await this.registry.removeIfExists(this.paths.leader);
    }
    if (node.kind === 'server' || (node.kind === 'instance' && kind !== 'changed')) await this.setReshardingFlag();
    if (node.kind === 'instance' && kind === 'deleted' && node.instanceId !== this.id && this.isOn('failover')) {
      await this.queueCrashed(node.instanceId);
    }
  }

  /** Section 5.2. */
  private async elect(): Promise<void> {
    await this.inLatch(this.paths.electionLatch, async () => {
      if (!(await this.registry.exists(this.paths.leader))) {
        await this.registry.persistEphemeral(this.paths.leader, this.id);
      }
    });
  }

  private async isLeaderUntilBlock(): Promise<boolean> {
    while (!this.cache.has(this.paths.leader) && !this.isStopped) {
      await this.clock.sleep(SHORT_SLEEP_MS);
      if (this.isServerEnabled(this.options.serverIp)) await this.elect();
    }
    return this.isLeader();
  }

  private async inLatch(path: string, work: () => Promise<void>): Promise<void> {
    const latch = await acquireLatch(this.registry.center, this.clock, path, { timeoutMs: 600_000 });
    await work();
    void latch?.release();
  }

  /** Section 5.3. */
  private async setReshardingFlag(): Promise<void> {
    if (await this.isLeaderUntilBlock()) await this.registry.createIfNeeded(this.paths.reshardingFlag);
  }

  /** Section 5.8: the steps when another instance is lost. */
  private async queueCrashed(lost: string): Promise<void> {
    const { registry, paths } = this;
    const marked = (mark: 'failovering' | 'instance') =>
      this.allItems().filter((item) => this.cached(paths.mark(item, mark)) === lost);
    const failovering = marked('failovering');
    // Fault 31: crashes on a server that is disabled or gone are not seen.
    const owned = this.isServerEnabled(lost.split('@-@')[0]!) ? marked('instance') : [];
    const crashed =
      failovering.length > 0 ? failovering : owned.filter((item) => this.cache.has(paths.mark(item, 'running')));
    for (const item of crashed) {
      if (await registry.exists(paths.mark(item, 'failover'))) continue;
      await registry.createIfNeeded(paths.queued(item));
      await registry.removeIfExists(paths.mark(item, 'running'));
    }
    if (crashed.length > 0) await this.failoverIfNecessary();
  }

  /** Section 5.8: takes one item, and triggers a run of it. */
  private async failoverIfNecessary(): Promise<void> {
    const { registry, paths } = this;
    if (this.isBusy || (await registry.children(paths.queue)).length === 0) return;
    await this.inLatch(paths.failoverLatch, async () => {
      const [first] = await registry.children(paths.queue);
      if (this.isBusy || first === undefined) return;
      await registry.persistEphemeral(paths.mark(Number(first), 'failover'), this.id);
      await registry.persist(paths.mark(Number(first), 'failovering'), this.id);
      await registry.removeIfExists(paths.queued(Number(first)));
      this.fire(this.clock.wallNow());
    });
  }

  // --- the job's thread

  private schedule(): void {
    const cron = this.setting('cron');
    if (cron === undefined) return;
    const next = new CronSchedule(cron, undefined, 'quartz').next(this.clock.wallNow())!;
    this.clock.setTimer(next - this.clock.wallNow(), () => {
      if (this.isStopped) return;
      if (this.isBusy) this.thread = this.thread.then(() => this.misfire(this.localItems())).catch(() => {});
      else this.fire(next);
      this.schedule();
    });
  }

  private fire(fireTime: number): void {
    this.isBusy = true;
    this.thread = this.thread
      .then(() => this.execute(fireTime))
      .catch(() => {}) // The process is dead, or leaving.
      .finally(() => (this.isBusy = false))
      .then(() => (this.isOn('failover') && !this.isStopped ? this.failoverIfNecessary() : undefined))
      .catch(() => {});
  }

  /** Section 5.5. */
  private async execute(fireTime: number): Promise<void> {
    const items = (await this.ownFailoverItems()) ?? (await this.ownItems());
    if (items.length === 0) return;
    for (;;) {
      await this.run(items, fireTime);
      if (!this.isOn('misfire') || (await this.registry.exists(this.paths.reshardingFlag))) return;
      const flagged = items.filter((item) => this.cache.has(this.paths.mark(item, 'misfire')));
      if (flagged.length === 0) return;
      for (const item of items) await this.registry.removeIfExists(this.paths.mark(item, 'misfire'));
    }
  }

  private async ownFailoverItems(): Promise<number[] | undefined> {
    if (!this.isOn('failover')) return undefined;
    const items: number[] = [];
    for (const item of this.allItems()) {
      if ((await this.registry.get(this.paths.mark(item, 'failover'))) === this.id) items.push(item);
    }
    return items.length > 0 ? items : undefined;
  }

  private async ownItems(): Promise<number[]> {
    await this.shardIfNecessary();
    const items: number[] = [];
    for (const item of this.localItems()) {
      const { paths, registry } = this;
      if (this.isOn('failover') && (await registry.exists(paths.mark(item, 'failover')))) continue;
      if (await registry.exists(paths.mark(item, 'disabled'))) continue;
      if (this.isOn('monitorExecution') && (await registry.exists(paths.mark(item, 'running')))) continue;
      items.push(item);
    }
    return items;
  }

  private async misfire(items: readonly number[]): Promise<void> {
    for (const item of items) await this.registry.createIfNeeded(this.paths.mark(item, 'misfire'));
  }

  /** Section 5.6. */
  private async run(items: readonly number[], fireTime: number): Promise<void> {
    const { registry, paths } = this;
    const [isMonitored, hasFailover] = [this.isOn('monitorExecution'), this.isOn('failover')];
    for (const item of isMonitored ? items : []) {
      const path = paths.mark(item, 'running');
      await (hasFailover ? registry.persist(path, this.id) : registry.persistEphemeral(path, this.id));
    }
    await Promise.all(items.map((item) => this.runItem(item, fireTime)));
    for (const item of items) {
      if (isMonitored) await registry.removeIfExists(paths.mark(item, 'running'));
      if (!hasFailover) continue;
      await registry.removeIfExists(paths.mark(item, 'failover'));
      await registry.removeIfExists(paths.mark(item, 'failovering'));
    }
  }

  private async runItem(item: number, fireTime: number): Promise<void> {
    const run: JavaRun = { item, fireTime, startedAt: this.clock.wallNow(), endedAt: undefined };
    this.runs.push(run);
    await this.options.handler?.(item);
    await this.clock.nextTurn(); // A dead process ends nothing.
    run.endedAt = this.clock.wallNow();
  }

  /** Section 5.4. */
  private async shardIfNecessary(): Promise<void> {
    const { registry, paths } = this;
    const instances = (await registry.children(paths.instances)).map((id) => ({
      jobInstanceId: id,
      serverIp: id.split('@-@')[0]!,
    }));
    const available = instances.filter(({ serverIp }) => this.isServerEnabled(serverIp));
    if (!(await registry.exists(paths.reshardingFlag)) || available.length === 0) return;
    while (!(await this.isLeaderUntilBlock())) {
      const isPending =
        (await registry.exists(paths.reshardingFlag)) || (await registry.exists(paths.reshardingProcessing));
      if (!isPending) return;
      await this.clock.sleep(SHORT_SLEEP_MS);
    }
    while (this.isOn('monitorExecution') && (await this.isAnyRunning())) await this.clock.sleep(SHORT_SLEEP_MS);
    await this.shard(available);
  }

  private async isAnyRunning(): Promise<boolean> {
    for (const item of this.allItems()) {
      if (await this.registry.exists(this.paths.mark(item, 'running'))) return true;
    }
    return false;
  }

  private async shard(available: readonly { jobInstanceId: string; serverIp: string }[]): Promise<void> {
    const { registry, paths, options, total } = this;
    await registry.persistEphemeral(paths.reshardingProcessing, '');
    for (const item of this.allItems()) {
      await registry.removeIfExists(paths.mark(item, 'instance'));
      await registry.createIfNeeded(paths.item(item));
    }
    for (const name of await registry.children(paths.items)) {
      if (Number(name) >= total) await registry.remove(paths.item(Number(name)));
    }
    const strategy = createShardingStrategy(this.setting('jobShardingStrategyType') ?? 'AVG_ALLOCATION');
    const plan = planSharding(strategy, available, options.jobName, total);
    await registry.center.transaction([
      ...[...plan].map(([item, id]) => ({
        kind: 'create' as const,
        path: paths.mark(item, 'instance'),
        data: id,
        mode: 'PERSISTENT' as const,
      })),
      { kind: 'delete', path: paths.reshardingFlag },
      { kind: 'delete', path: paths.reshardingProcessing },
    ]);
  }
}
