import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import {
  ElasticJobModule,
  type ElasticJobModuleOptions,
  type JobEvent,
  JobEvents,
  REGISTRY_CENTER,
} from '@app/elastic-job';
import { JobOperateApi, JobStatisticsApi } from '@app/elastic-job/operations';
import type { RegistryCenter } from '@app/elastic-job/registry';
import { type DynamicModule, type INestApplicationContext, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { onTestFinished } from 'vitest';
import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';
import { ZooKeeperRegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { sharedZooKeeper } from '@test/support/zookeeper/shared-server.js';

const zooKeeper = await sharedZooKeeper();

const clock = new SystemClock();
const LIMIT_MS = 15_000;

@Module({})
class RootModule {}

/** Parts of a user's process besides its jobs. */
export interface Surroundings {
  readonly imports?: readonly (Type | DynamicModule)[];
  /** Its connection to the ensemble. @default the attacker's */
  readonly servers?: string;
}

/** A process of a user, over the real ZooKeeper, and an attacker without an account. */
export class Victim {
  private constructor(
    private readonly app: INestApplicationContext,
    readonly namespace: string,
    readonly events: JobEvent[],
    readonly attacker: RegistryCenter,
  ) {}

  static async start(
    options: Omit<ElasticJobModuleOptions, 'registry'>,
    surroundings: Surroundings = {},
  ): Promise<Victim> {
    const namespace = `security-${clock.uuid()}`;
    const attacker = new ZooKeeperRegistryCenter({ servers: zooKeeper, namespace, sessionTimeoutMs: 30_000 }, clock);
    await attacker.connect();
    onTestFinished(() => attacker.close());
    const registry = { type: 'zookeeper', servers: surroundings.servers ?? zooKeeper, namespace } as const;
    const jobs = ElasticJobModule.forRoot({ tracing: [{ type: 'log', level: 'off' }], ...options, registry });
    const root = { module: RootModule, imports: [jobs, ...(surroundings.imports ?? [])] };
    const app = await NestFactory.createApplicationContext(root, { logger: false });
    onTestFinished(() => app.close());
    const events: JobEvent[] = [];
    app.get(JobEvents).on((event) => void events.push(event));
    return new Victim(app, namespace, events, attacker);
  }

  get operator(): JobOperateApi {
    return this.get(JobOperateApi);
  }

  get statistics(): JobStatisticsApi {
    return this.get(JobStatisticsApi);
  }

  /** Listens to the events of the process. */
  readonly listen = (listener: (event: JobEvent) => void): void => void this.get(JobEvents).on(listener);

  /** A provider of the process's application. */
  get<Provided>(token: Type<Provided> | symbol): Provided {
    return this.app.get<Provided>(token);
  }

  /** Replaces a text in the job's `config` node. */
  async edit(jobName: string, from: string | RegExp, to: string): Promise<void> {
    const path = `/${jobName}/config`;
    const { data } = (await this.attacker.read(path))!;
    const edited = data.replace(from, () => to);
    if (edited === data) throw new Error(`There is no ${from} in ${data}`);
    await this.attacker.set(path, edited);
  }

  /** Triggers the job. Resolves when it has settled one more item. */
  async trigger(jobName: string): Promise<void> {
    const before = this.settled(jobName).length;
    await this.operator.trigger(jobName);
    await until(() => this.settled(jobName).length > before);
  }

  /**
   * Resolves when the process has read all nodes. Each level of a tree is one request, and replies keep their order.
   */
  async synced(levels = 8): Promise<void> {
    for (let level = 0; level < levels; level += 1) await this.get<RegistryCenter>(REGISTRY_CENTER).serverTime();
  }

  settled(jobName: string) {
    return this.told('settled').filter(({ trigger }) => trigger.jobName === jobName);
  }

  told<Kind extends JobEvent['kind']>(kind: Kind): Extract<JobEvent, { kind: Kind }>[] {
    return this.events.filter((event): event is Extract<JobEvent, { kind: Kind }> => event.kind === kind);
  }

  /** Settings for which the process did not follow the registry, as its events report them. */
  notFollowed(): readonly string[] {
    return this.told('configuration-differs')
      .flatMap(({ differences }) => differences)
      .filter((difference) => difference.includes('not followed'));
  }
}

/** A web service. @returns its address and its requests */
export async function startService(answer: RequestListener = (_, response) => response.end()) {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return { origin: `http://127.0.0.1:${address.port}`, asked };
}

/** Waits for a condition without an event of its own. @throws after `limitMs`, 15 s by default */
export async function until(isSo: () => boolean | Promise<boolean>, limitMs = LIMIT_MS): Promise<void> {
  const deadline = clock.monotonicNow() + limitMs;
  while (!(await isSo())) {
    if (clock.monotonicNow() > deadline) throw new Error(`It is not so after ${limitMs} ms: ${String(isSo)}`);
    await clock.sleep(10);
  }
}
