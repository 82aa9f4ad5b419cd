import type { ElasticJobListener, JobHandler, JobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { createTestCluster, type TestCluster } from '../../../libs/elastic-job/src/testing/index.js';
import { JavaPeer, type JavaPeerOptions } from './java-peer.js';
import { operatorOf } from './registry-walk.js';

export const JOB = 'settle-orders';
export const MINUTE = 60_000;

export interface MixedClusterOptions {
  /** Number of instances of ours that start at once. */
  readonly instances: number;
  readonly handler?: JobHandler;
  readonly job?: Partial<JobOptions>;
  readonly listeners?: readonly ElasticJobListener[];
}

/** Instances of ours and Java peers over one registry and one virtual clock, with one job that fires every minute. */
export class MixedCluster {
  readonly peers: JavaPeer[] = [];

  private constructor(
    readonly ours: TestCluster,
    readonly operator: RegistryCenter,
    private readonly job: JobOptions,
  ) {}

  static async start({ instances, handler = () => {}, job, listeners }: MixedClusterOptions): Promise<MixedCluster> {
    const options = {
      name: JOB,
      cron: '0 * * * * ?',
      shardingTotalCount: 4,
      failover: true,
      clockChange: 'quartz' as const,
      ...job,
    };
    const ours = await createTestCluster({
      instances,
      jobs: [{ ...options, handler, ...(listeners && { listeners }) }],
    });
    return new MixedCluster(ours, await operatorOf(ours), options);
  }

  /** Starts a Java peer, and waits until its start is over. */
  async java(options: Partial<JavaPeerOptions> = {}): Promise<JavaPeer> {
    const peer = this.launchJava(options);
    await this.ours.clock.advanceUntil(peer.registered);
    return peer;
  }

  /** Starts a Java peer. Its server is 10.0.0.9 unless another is named, so it comes before ours in Java's order. */
  launchJava(options: Partial<JavaPeerOptions> = {}): JavaPeer {
    const { cron, shardingTotalCount, failover, misfire = true, monitorExecution = true } = this.job;
    const peer = JavaPeer.launch(this.ours, {
      jobName: JOB,
      serverIp: '10.0.0.9',
      config: {
        cron,
        failover,
        misfire,
        monitorExecution,
        reconcileIntervalMinutes: 10,
        shardingTotalCount,
      },
      ...options,
    });
    this.peers.push(peer);
    return peer;
  }

  stop(): Promise<void> {
    return this.ours.stop();
  }

  advance(ms: number): Promise<void> {
    return this.ours.advance(ms);
  }

  /** Moves to `further` milliseconds after the next full minute. @returns that minute */
  async untilNextMinute(further: number): Promise<number> {
    await this.advance(MINUTE - (this.ours.clock.wallNow() % MINUTE) + further);
    return this.minute();
  }

  minute(): number {
    return Math.floor(this.ours.clock.wallNow() / MINUTE) * MINUTE;
  }

  /** The items that were run for a fire time, by side, ascending. An item that began twice is there twice. */
  itemsAt(fireTime: number): { java: number[]; ours: number[] } {
    const items = (runs: readonly { item: number; fireTime: number }[]) =>
      runs.filter((run) => run.fireTime === fireTime).map(({ item }) => item);
    return {
      java: items(this.peers.flatMap(({ runs }) => runs)).toSorted((a, b) => a - b),
      ours: items(this.ours.runs(JOB)).toSorted((a, b) => a - b),
    };
  }

  /** The runs of ours so far, each as `item source`. */
  told(from = 0): string[] {
    return this.ours
      .runs(JOB)
      .slice(from)
      .map(({ item, source }) => `${item} ${source}`);
  }

  /** The names of the job's nodes below a path relative to its root. */
  async nodes(path: string): Promise<string[]> {
    return (await this.operator.exists(`/${JOB}/${path}`)) === undefined
      ? []
      : [...(await this.operator.children(`/${JOB}/${path}`))].toSorted();
  }

  async read(path: string): Promise<string | undefined> {
    return (await this.operator.read(`/${JOB}/${path}`))?.data;
  }

  /** The owner of each item, as the registry has it. */
  async owners(): Promise<(string | undefined)[]> {
    const items = (await this.nodes('sharding')).map(Number).toSorted((a, b) => a - b);
    return Promise.all(items.map((item) => this.read(`sharding/${item}/instance`)));
  }

  leader(): Promise<string | undefined> {
    return this.read('leader/election/instance');
  }

  /** The instance id of one of ours. */
  id(instance: number): string {
    return [...this.ours.instances[instance]!.instanceIds].at(-1)!;
  }
}
