import type { Clock, ElasticJobModuleOptions } from '@app/elastic-job';
import type { ElasticJobConsoleOptions } from '@app/elastic-job/console';
import { SqlAuditStore } from '@app/elastic-job/console/sql';
import { MemoryRegistry } from '@app/elastic-job/registry';
import { SystemClock } from '@app/elastic-job/spi';
import { MemoryTaskCluster } from '@app/elastic-job/testing';
import { SqlHistory } from '@app/elastic-job/tracing/sql';
import type { Type } from '@nestjs/common';
import { Kysely, SqliteDialect } from 'kysely';
import Libsql from 'libsql';
import { CONSOLE_PATH } from '../console/root.controller.js';
import { type Accounts, makeAccounts } from './accounts.js';
import { doDeeds } from './deeds.js';
import { Instance } from './instance.js';
import { FaxJobs } from './jobs/fax.jobs.js';
import { FinanceJobs } from './jobs/finance.jobs.js';
import { ShopJobs } from './jobs/shop.jobs.js';
import { WarehouseJobs } from './jobs/warehouse.jobs.js';
import { FIRST_RELEASE, live } from './life.js';
import type { Shop } from './shop.js';
import { renderImages } from './tasks.js';
import { invitation } from './invitation.js';

const HOSTS = ['10.0.3.11', '10.0.3.12', '10.0.3.13'];
/** Its only instance has gone before anybody looks. */
const GONE_HOST = '10.0.3.9';
const JOBS: readonly Type<object>[] = [FinanceJobs, ShopJobs, WarehouseJobs];

/**
 * The back office of a shop: three instances over one registry in memory, a history and an audit in memory. Nothing is
 * left when the process ends. Time comes from the clock alone, and there is no chance: the same clock gives the same
 * story.
 */
export class Demo {
  private readonly ending = new AbortController();
  private readonly instances = new Map<string, Instance>();
  private life: Promise<void> | undefined;
  private pid = 7_000;

  private constructor(
    private readonly shop: Shop,
    private readonly accounts: Accounts,
    private readonly tell: (line: string) => void,
  ) {}

  /** Resolves when the jobs run. */
  static async start(clock: Clock = new SystemClock(), tell: (line: string) => void = console.log): Promise<Demo> {
    const tasks = new MemoryTaskCluster({ clock });
    tasks.script('product-images', renderImages);
    const database = new Kysely<unknown>({ dialect: new SqliteDialect({ database: new Libsql(':memory:') }) });
    const shop = { clock, server: new MemoryRegistry(clock), database, tasks };
    const demo = new Demo(shop, await makeAccounts(), tell);
    const gone = await demo.startInstance(GONE_HOST, FIRST_RELEASE, [FaxJobs]);
    await gone.leave();
    for (const host of HOSTS) demo.instances.set(host, await demo.startInstance(host, FIRST_RELEASE));
    return demo;
  }

  /** Options of the console's application. */
  get registry(): ElasticJobModuleOptions {
    const { clock, database, server } = this.shop;
    return {
      registry: { type: 'memory', server },
      clock,
      tracing: [{ type: 'log', level: 'warn' }, new SqlHistory(database)],
    };
  }

  get console(): ElasticJobConsoleOptions {
    return { auth: this.accounts.auth, audit: new SqlAuditStore(this.shop.database) };
  }

  /** To be called once the console listens. Says how to get in, and lets the story begin. @param origin its address */
  async open(origin: string): Promise<void> {
    await doDeeds(`${origin}${CONSOLE_PATH}api/v1`, this.accounts.tokenOf);
    this.tell(invitation(origin + CONSOLE_PATH, this.accounts.passwords));
    const { instances, shop, tell } = this;
    const start = (host: string, release: number) => this.startInstance(host, release);
    this.life = live({ clock: shop.clock, instances, start, tell }, this.ending.signal).catch((error: unknown) => {
      if (!this.ending.signal.aborted) tell(`The demo has come to an end: ${String(error)}`);
    });
  }

  /** Lets the instances leave. */
  async stop(): Promise<void> {
    this.ending.abort();
    await this.life;
    await Promise.all([...this.instances.values()].map((instance) => instance.leave()));
    await this.shop.database.destroy();
  }

  /** Each one stands for a process of its own. */
  private startInstance(host: string, release: number, jobs = JOBS): Promise<Instance> {
    this.pid += 1;
    return Instance.start(this.shop, { host, pid: this.pid, version: `2.${release}.0`, jobs });
  }
}
