import { type Bundle, bundle } from '../../test/support/bundle/bundle.js';
import { startZooKeeperServer, type TestServer } from '../../test/support/faults/index.js';
import { Instance } from './instance.js';

/** A default installation's tick, a compiler that does its best, and a disk that is not under measurement. */
const SERVER = {
  settings: { tickTime: 2_000 },
  jvmFlags: ['-XX:TieredStopAtLevel=4', '-Xmx2g', '-Dzookeeper.preAllocSize=65536'],
};

/** A server, and processes to be measured over it. */
export class Stage {
  private namespaces = 0;

  private constructor(
    readonly server: TestServer,
    /** How long jobs are watched. */
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

  /** One that nobody has used. */
  newNamespace(): string {
    return `scale-${(this.namespaces += 1)}`;
  }

  fork(): Instance {
    return Instance.fork(this.script.url('instance'));
  }

  /** Uses some processes of their own, which end with the work. */
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
