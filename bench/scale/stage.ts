import { type Bundle, bundle } from '@test/support/bundle/bundle.js';
import { startZooKeeperServer, type TestServer } from '@test/support/faults/index.js';
import { Instance } from './instance.js';

/**
 * The tick of a default installation, the full compiler, and no waits for the disk, which is not measured. The heap has
 * its full size from the start, as on a server of its own. A heap that grows to 48 MB is collected as a whole every six
 * seconds, in which the server stands still for 30 ms.
 */
const SERVER = {
  settings: { tickTime: 2_000 },
  jvmFlags: [
    '-XX:TieredStopAtLevel=4',
    '-Xms1g',
    '-Xmx1g',
    '-Xmn256m',
    '-XX:+AlwaysPreTouch',
    '-Dzookeeper.preAllocSize=65536',
  ],
};

/** A server, and measured processes over it. */
export class Stage {
  private namespaces = 0;

  private constructor(
    readonly server: TestServer,
    /** Time for which jobs are watched. */
    readonly seconds: number,
    private readonly script: Bundle,
  ) {}

  static async open(seconds: number): Promise<Stage> {
    const script = await bundle({ instance: 'bench/scale/child/instance.fixture.ts' });
    try {
      return new Stage(await startZooKeeperServer(SERVER), seconds, script);
    } catch (error) {
      await script.remove();
      throw error;
    }
  }

  get servers(): string {
    return this.server.connect;
  }

  /** A namespace that was not used before. */
  newNamespace(): string {
    return `scale-${(this.namespaces += 1)}`;
  }

  fork(): Instance {
    return Instance.fork(this.script.url('instance'));
  }

  /** Starts processes for some work, and ends them after it. */
  async with<T>(count: number, work: (instances: readonly Instance[]) => Promise<T>): Promise<T> {
    const instances = Array.from({ length: count }, () => this.fork());
    try {
      return await work(instances);
    } finally {
      await Promise.all(instances.map((instance) => instance.stop()));
    }
  }

  async close(): Promise<void> {
    await this.server.stop();
    await this.script.remove();
  }
}
