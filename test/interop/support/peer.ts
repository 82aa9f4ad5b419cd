import type { NewJob } from '../../../libs/elastic-job/src/operations/index.js';
import type { RegistryTraffic } from '../../../libs/elastic-job/src/registry/index.js';
import type { FaultProxy } from '@test/support/faults/index.js';
import type { JobSpec } from './job-spec.js';
import { PeerProcess } from '@test/support/peers/peer-process.js';

export type PeerKind = 'java' | 'node';

/** Behaviour of a run after its begin. */
export type Behaviour = { readonly kind: 'end' | 'block' | 'fail' } | { readonly kind: 'sleep'; readonly ms: number };

/** One instance of the jobs of a test, in a process of its own. Java's and ours are driven alike. */
export class Peer {
  constructor(
    readonly kind: PeerKind,
    readonly ip: string,
    readonly process: PeerProcess,
    /** Its own network to the registry. */
    readonly network: FaultProxy,
  ) {}

  get name(): string {
    return this.process.name;
  }

  /** Registers the job and starts its schedule. */
  async start(config: JobSpec): Promise<void> {
    await this.process.call('start', { config });
  }

  /** Shuts the job down in order on this instance. */
  async stopJob(job: string): Promise<void> {
    await this.process.call('stop', { job });
  }

  /** Sets the behaviour of the runs that begin from now on. */
  async behave(job: string, behaviour: Behaviour): Promise<void> {
    await this.process.call('behave', { job, behaviour });
  }

  /** Ends the blocked runs. */
  async release(job: string): Promise<void> {
    await this.process.call('release', { job });
  }

  /** Asks all instances to run the job now, as a one-off job's `execute()` does. */
  async execute(job: string): Promise<void> {
    await this.process.call('execute', { job });
  }

  /** The text of its snapshot service. */
  async dump(job: string): Promise<string> {
    return String(await this.process.call('dump', { job }));
  }

  /** Requests of an instance of ours, as its client counts them. There are none for Java's. */
  async traffic(): Promise<RegistryTraffic> {
    const none: RegistryTraffic = { foreground: 0, background: 0 };
    if (this.kind === 'java') return none;
    return Object.assign(none, await this.process.call('traffic'));
  }

  /** Leaves every job in order and closes its session. */
  async leave(): Promise<void> {
    await this.process.call('leave');
  }

  /** SIGKILL: its session lives on until it times out. */
  kill(): Promise<void> {
    return this.process.kill();
  }

  async stop(): Promise<void> {
    await this.process.kill();
    await this.network.stop();
  }
}

/** An instance of ours. */
export class NodePeer extends Peer {
  /** Makes it join the jobs that are created from this template from now on. */
  async declare(template: string): Promise<void> {
    await this.process.call('declare', { template });
  }

  /** Creates a job for the whole cluster. */
  async create(created: NewJob): Promise<void> {
    await this.process.call('create', { created });
  }

  /** Changes fields of the stored configuration by our own operation. */
  async edit(job: string, changes: Partial<JobSpec>): Promise<void> {
    await this.process.call('edit', { job, changes });
  }
}

/** A peer that answers for ElasticJob's own tools. */
export class JavaPeer extends Peer {
  /** Calls a method of the lifecycle API, such as `JobOperateAPI`, `trigger`. */
  console(api: string, method: string, ...given: readonly (string | null)[]): Promise<unknown> {
    return this.process.call('console', { api, method, arguments: given });
  }

  /** Changes fields of the stored configuration by the lifecycle API. */
  async edit(job: string, changes: Partial<JobSpec>): Promise<void> {
    await this.process.call('edit', { job, changes });
  }
}
