import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { formatConfiguration } from '../../../libs/elastic-job/src/coordination/index.js';
import { type JobHandler, type JobOptions, resolveJobOptions } from '../../../libs/elastic-job/src/domain/index.js';
import type { Operation, RegistryCenter, Subtree } from '../../../libs/elastic-job/src/registry/index.js';
import { ElasticJobRuntime } from '../../../libs/elastic-job/src/runtime/index.js';
import type { RegistryHarness } from '../registry/index.js';

/** Far in the future, since fire times are given by hand. */
export const NEVER = '0 0 0 1 1 ? 2199';

export const clock = new SystemClock();

/** A namespace with an operator, processes of ours that really run, and nodes as Java's instances write them. */
export class Stage {
  private readonly runtimes: ElasticJobRuntime[] = [];
  private changed: () => void = () => {};
  private view!: Subtree;

  private constructor(
    private readonly harness: RegistryHarness,
    private readonly namespace: string,
    /** The operator's connection. */
    readonly registry: RegistryCenter,
    private readonly witness: RegistryCenter,
  ) {}

  static async open(harness: RegistryHarness, maxRequestBytes?: number): Promise<Stage> {
    const namespace = harness.newNamespace();
    const witness = await harness.client({ namespace });
    const stage = new Stage(harness, namespace, await harness.client({ namespace, maxRequestBytes }), witness);
    stage.view = await witness.openSubtree('/', () => stage.changed());
    return stage;
  }

  async stop(): Promise<void> {
    await Promise.all(this.runtimes.map((runtime) => runtime.stop()));
  }

  /** One more client of the namespace. */
  client(): Promise<RegistryCenter> {
    return this.harness.client({ namespace: this.namespace });
  }

  /** Starts a process of ours that runs these jobs, and has these templates for jobs that others create. */
  async start(
    serverIp: string,
    jobs: readonly StagedJob[],
    templates: readonly Omit<StagedJob, 'shardingTotalCount'>[] = [],
  ): Promise<ElasticJobRuntime> {
    const own = Object.assign(new SystemClock(), { hostAddress: () => serverIp });
    const registry = this.harness.center({ namespace: this.namespace });
    const runtime = new ElasticJobRuntime({ registry, clock: own, drainTimeoutMs: 1_000 });
    this.runtimes.push(runtime);
    runtime.events.on(() => this.changed());
    for (const { handler = () => {}, ...options } of jobs) {
      const configuration = resolveJobOptions({ cron: NEVER, ...options }, { place: 'stage' });
      await runtime.registrar.register({ configuration, className: 'Staged', place: 'stage', handler });
    }
    for (const { handler = () => {}, ...defaults } of templates) {
      const configuration = resolveJobOptions({ ...defaults, shardingTotalCount: 1 }, { place: 'stage' });
      runtime.templates.declare({ name: defaults.name, configuration, place: 'stage', handler });
    }
    await runtime.start();
    return runtime;
  }

  /** Starts a process for one job and waits until each of the items has an owner. */
  async startSharded(serverIp: string, job: StagedJob): Promise<ElasticJobRuntime> {
    const runtime = await this.start(serverIp, [job]);
    const items = [...Array(job.shardingTotalCount).keys()];
    await this.until(() =>
      items.every((item) => {
        const owner = this.data(`/${job.name}/sharding/${item}/instance`);
        return owner !== undefined && this.has(`/${job.name}/instances/${owner}`);
      }),
    );
    return runtime;
  }

  /** A job's tree as Java leaves it: its nodes, and its instances, which live as long as the witness's session. */
  async writeJava(jobName: string, { instances = [], nodes = {}, config }: JavaJob = {}): Promise<void> {
    const root = `/${jobName}`;
    const written = new Map([
      [root, 'com.acme.OrderJob'],
      [`${root}/config`, config ?? javaConfig(jobName)],
      [`${root}/instances`, ''],
      ...Object.entries(nodes).map(([path, data]) => [`${root}/${path}`, data] as const),
    ]);
    const paths = new Set([...written.keys()].flatMap((path) => [path, ...parentsOf(path)]));
    const creations = [...paths]
      .toSorted()
      .map((path): Operation => ({ kind: 'create', path, data: written.get(path) ?? '', mode: 'PERSISTENT' }));
    const ephemerals = instances.map(([id, serverIp, label]): Operation => ({
      kind: 'create',
      path: `${root}/instances/${id}`,
      data: `jobInstanceId: ${id}\n${label === undefined ? '' : `labels: ${label}\n`}serverIp: ${serverIp}\n`,
      mode: 'EPHEMERAL',
    }));
    const result = await this.witness.transaction([...creations, ...ephemerals]);
    if (result.kind === 'refused') throw new Error(`${result.path}: ${result.refusal}`);
  }

  /** True if the witness has seen the node so far. */
  has(path: string): boolean {
    return this.view.has(path);
  }

  data(path: string): string | undefined {
    return this.view.node(path)?.data;
  }

  /** The names of the children as of now. */
  async names(path: string): Promise<string[]> {
    await this.view.sync();
    return [...this.view.children(path)].toSorted();
  }

  /** The value as of now. */
  async value(path: string): Promise<string | undefined> {
    return (await this.registry.read(path))?.data;
  }

  /** Checks now, and again after every change in the namespace or in a process. */
  async until(isTrue: () => boolean): Promise<void> {
    for (;;) {
      const change = new Promise<void>((resolve) => (this.changed = resolve));
      if (isTrue()) return;
      await change;
    }
  }
}

export interface StagedJob extends Partial<JobOptions> {
  readonly name: string;
  readonly shardingTotalCount: number;
  readonly handler?: JobHandler;
}

export interface JavaJob {
  /** Each instance's id and the address in its node. One with a label is of ours. */
  readonly instances?: readonly (readonly [id: string, serverIp: string, label?: string])[];
  /** Further persistent nodes by their path below the job. */
  readonly nodes?: Readonly<Record<string, string>>;
  readonly config?: string;
}

/** As Java's builder writes it. */
export function javaConfig(jobName: string): string {
  const configuration = resolveJobOptions(
    { name: jobName, cron: '0/5 * * * * ?', shardingTotalCount: 3 },
    { place: 'stage' },
  );
  return formatConfiguration(configuration).replace(/^props:\n( .*\n)+/m, '');
}

/** `/a` and `/a/b` of `/a/b/c`. */
function parentsOf(path: string): string[] {
  const names = path.split('/').slice(1, -1);
  return names.map((_, depth) => `/${names.slice(0, depth + 1).join('/')}`);
}
