import { type Clock, waitUntil } from '../../clock/index.js';
import { type JobName, Listeners, NODE_TEXT_LIMITS } from '../../domain/index.js';
import {
  isUnanswered,
  type RegistryCenter,
  type RegistryNode,
  SessionLostError,
  type Subtree,
  type SubtreeBounds,
  untilServed,
} from '../../registry/index.js';
import { repeat } from '../../repeat/index.js';
import { CLOUD_APP_FORM, type CloudAppConfiguration } from './cloud-apps.js';
import type { CloudForm, ReadCloudNode } from './cloud-form.js';
import { CLOUD_JOB_FORM, type CloudJobConfiguration } from './cloud-jobs.js';
import { CLOUD_PATHS } from './cloud-paths.js';

/** A job as the registry has it now. */
export interface SeenCloudJob {
  readonly jobName: JobName;
  /** Undefined if it cannot be read. */
  readonly configuration: CloudJobConfiguration | undefined;
  /** The job's application; undefined if it is not registered, or cannot be read. */
  readonly app: CloudAppConfiguration | undefined;
  /** True if the job or its application is disabled. */
  readonly isDisabled: boolean;
  /** Reasons why it cannot be scheduled, one text each. */
  readonly faults: readonly string[];
}

/** A change of a job since the last one. A change of its application is one of the job. */
export type CloudJobChange =
  | { readonly kind: 'appeared' | 'changed'; readonly job: SeenCloudJob }
  | { readonly kind: 'vanished'; readonly jobName: JobName };

/** Paths that are read. Others in the namespace are not even listed. */
const TAKEN_IN = /^\/(?:config|state|state\/disable|(?:config|state\/disable)\/(?:app|job)(?:\/[^/]+)?)$/;
const LEAF = /^\/(?:config|state\/disable)\/(?:app|job)\/[^/]+$/;

const BOUNDS: SubtreeBounds = {
  admits: (path) => TAKEN_IN.test(path),
  isLeaf: (path) => LEAF.test(path),
  longest: () => NODE_TEXT_LIMITS.bytes,
  mostChildren: 100_000,
  onLeftOut: () => {},
};

/** A job with the versions of all nodes behind it. */
interface Look {
  readonly job: SeenCloudJob;
  readonly versions: string;
}

/**
 * Yields the jobs of a namespace, as they come, change and go. It compares states: if changes come faster than they are
 * taken, only the last one is yielded. It survives every session.
 */
export class CloudJobFeed {
  private readonly delivered = new Map<JobName, string>();
  private readonly jobs = new ReadTexts(CLOUD_JOB_FORM);
  private readonly apps = new ReadTexts(CLOUD_APP_FORM);
  private isRung = false;
  private readonly rings = new Listeners<() => void>();

  constructor(
    private readonly registry: RegistryCenter,
    private readonly clock: Clock,
  ) {}

  /** Starts with all present jobs. @throws the signal's reason, and a permanent refusal of the registry */
  async *changes(signal: AbortSignal): AsyncGenerator<CloudJobChange, void, undefined> {
    const stopListening = this.registry.onSession(() => this.ring());
    try {
      for (;;) {
        const view = await this.open(signal);
        try {
          yield* this.changesIn(view, signal);
        } catch (error) {
          if (!(error instanceof SessionLostError)) throw error;
        } finally {
          view.close();
        }
      }
    } finally {
      stopListening();
    }
  }

  private open(signal: AbortSignal): Promise<Subtree> {
    const isRepeated = (error: unknown) => isUnanswered(error) || error instanceof SessionLostError;
    const open = () => this.registry.openSubtree('/', () => this.ring(), { signal, bounds: BOUNDS });
    return repeat(untilServed(this.registry, this.clock, { signal, isRepeated }), open);
  }

  private async *changesIn(view: Subtree, signal: AbortSignal): AsyncGenerator<CloudJobChange, void, undefined> {
    for (;;) {
      this.isRung = false;
      const looks = this.look(view);
      for (const change of this.changesTo(looks)) {
        signal.throwIfAborted();
        yield change;
      }
      await this.rung(signal);
    }
  }

  /** A change counts as delivered once the next one is asked for. */
  private *changesTo(looks: ReadonlyMap<JobName, Look>): Generator<CloudJobChange> {
    for (const [jobName, { job, versions }] of looks) {
      const before = this.delivered.get(jobName);
      if (before === versions) continue;
      this.delivered.set(jobName, versions);
      yield { kind: before === undefined ? 'appeared' : 'changed', job };
    }
    for (const jobName of this.delivered.keys()) {
      if (looks.has(jobName)) continue;
      this.delivered.delete(jobName);
      yield { kind: 'vanished', jobName };
    }
  }

  private look(view: Subtree): ReadonlyMap<JobName, Look> {
    const names = view.children(CLOUD_PATHS.jobs).toSorted();
    this.jobs.keepOnly(new Set(names));
    this.apps.keepOnly(new Set(view.children(CLOUD_PATHS.apps)));
    return new Map(
      names.flatMap((jobName) => {
        const look = this.lookAt(view, jobName);
        return look === undefined ? [] : [[jobName, look] as const];
      }),
    );
  }

  private lookAt(view: Subtree, jobName: JobName): Look | undefined {
    const node = view.node(CLOUD_PATHS.job(jobName));
    if (node === undefined) return undefined;
    const read = this.jobs.read(node, jobName);
    const { appName = '' } = read.kind === 'read' ? read.configuration : read.partly;
    const appNode = view.node(CLOUD_PATHS.app(appName));
    const app = appNode && this.apps.read(appNode, appName);
    const isDisabled = view.has(CLOUD_PATHS.disabledApp(appName)) || view.has(CLOUD_PATHS.disabledJob(jobName));
    return {
      job: {
        jobName,
        configuration: read.kind === 'read' ? read.configuration : undefined,
        app: app?.kind === 'read' ? app.configuration : undefined,
        isDisabled,
        faults: faultsOf(read, appName, app),
      },
      versions: [node.stat.mzxid, appNode?.stat.mzxid, isDisabled].join(' '),
    };
  }

  private ring(): void {
    this.isRung = true;
    this.rings.forEach((look) => look());
  }

  private async rung(signal: AbortSignal): Promise<void> {
    await waitUntil(
      () => this.isRung,
      (look) => this.rings.add(look),
      { signals: [signal] },
    );
    signal.throwIfAborted();
  }
}

/** Texts of nodes, each parsed only once. */
class ReadTexts<Configuration extends object> {
  private readonly known = new Map<string, { readonly zxid: bigint; readonly read: ReadCloudNode<Configuration> }>();

  constructor(private readonly form: CloudForm<Configuration>) {}

  read({ data, stat }: RegistryNode, name: string): ReadCloudNode<Configuration> {
    const known = this.known.get(name);
    if (known?.zxid === stat.mzxid) return known.read;
    const read = this.form.read(data, name);
    this.known.set(name, { zxid: stat.mzxid, read });
    return read;
  }

  keepOnly(names: ReadonlySet<string>): void {
    for (const name of this.known.keys()) if (!names.has(name)) this.known.delete(name);
  }
}

function faultsOf(
  job: ReadCloudNode<CloudJobConfiguration>,
  appName: string,
  app: ReadCloudNode<CloudAppConfiguration> | undefined,
): readonly string[] {
  const own = job.kind === 'faulty' ? job.problems : [];
  if (appName === '') return own;
  if (app === undefined) return [...own, `its application "${appName}" is not registered`];
  return app.kind === 'faulty'
    ? [...own, ...app.problems.map((problem) => `application "${appName}": ${problem}`)]
    : own;
}
