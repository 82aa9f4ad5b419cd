import { appendFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Injectable, Module, type DynamicModule } from '@nestjs/common';
import { ElasticJob, ElasticJobModule, type ShardingContext } from '../../../../libs/elastic-job/src/index.js';
import { ElasticJobCloudModule, LocalProcesses } from '../../../../libs/elastic-job/src/nest/cloud/index.js';

const TYPESCRIPT = new URL('../../../support/faults/register-typescript.mjs', import.meta.url).href;
const MAIN = fileURLToPath(new URL('./main.fixture.ts', import.meta.url));

/** Variable with the file in which tasks note their work, one line each. */
const LEDGER = 'LEDGER';

const TASK = {
  executor: 'task',
  monitorExecution: true,
  shardingTotalCount: 2,
  resources: { memoryMb: 512 },
  task: {
    command: [process.execPath, '--no-deprecation', '--import', TYPESCRIPT, MAIN],
    env: { [LEDGER]: process.env[LEDGER] ?? '' },
    graceMs: 2_000,
  },
} as const;

@Injectable()
class Orders {
  @ElasticJob({ ...TASK, name: 'settle', cron: '0 0 0 1 1 ? 2099', shardingItemParameters: '0=Beijing,1=Shanghai' })
  async settle({ shardingItem, shardingParameter, token, checkpoint }: ShardingContext): Promise<void> {
    await checkpoint.save({ settled: shardingParameter });
    note({ settled: shardingItem, shardingParameter, hasToken: token !== undefined, pid: process.pid });
  }

  @ElasticJob({ ...TASK, name: 'fail', cron: '0 0 0 1 1 ? 2099' })
  fail(): void {
    throw new RangeError('out of stock');
  }

  @ElasticJob({ ...TASK, name: 'wait', cron: '0 0 0 1 1 ? 2099' })
  async wait({ shardingItem, signal }: ShardingContext): Promise<void> {
    note({ waiting: shardingItem });
    await setTimeout(600_000, undefined, { signal }).catch(() => {});
    note({ stopped: shardingItem });
  }
}

function note(what: object): void {
  appendFileSync(process.env[LEDGER]!, `${JSON.stringify(what)}\n`);
}

/** The application, as its schedulers and its tasks use it. */
@Module({ providers: [Orders] })
export class AppModule {
  /**
   * @param supervisorUrl is needed because the library's sources are not compiled; undefined in a task, which has no
   * backend
   */
  static withBackend(supervisorUrl?: URL): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ElasticJobModule.forRoot({ registry: { type: 'memory' }, drainTimeoutMs: 5_000 }),
        ElasticJobCloudModule.forRoot({
          backend: new LocalProcesses({ maxTasks: 4, supervisorUrl }),
          cluster: 'orders',
        }),
      ],
    };
  }

  static withoutBackend(): DynamicModule {
    return { module: AppModule, imports: [ElasticJobModule.forRoot({ registry: { type: 'memory' } })] };
  }
}
