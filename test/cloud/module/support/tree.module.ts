import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type DynamicModule, Injectable, Module } from '@nestjs/common';
import { ElasticJobModule, ElasticJobTemplate, type ShardingContext } from '../../../../libs/elastic-job/src/index.js';
import { ElasticJobCloudModule, LocalProcesses } from '../../../../libs/elastic-job/src/nest/cloud/index.js';

const TYPESCRIPT = new URL('../../../support/faults/register-typescript.mjs', import.meta.url).href;
const MAIN = fileURLToPath(new URL('./tree-main.fixture.ts', import.meta.url));

/** The application's command as operators register it. */
export const SCRIPT = `exec '${process.execPath}' --no-deprecation --import '${TYPESCRIPT}' '${MAIN}'`;

/** Variable with the file in which tasks note their work, one line each. */
const LEDGER = 'TREE_LEDGER';

/** The work of the application's jobs, each of which is registered in the tree. */
@Injectable()
class Shop {
  @ElasticJobTemplate('shop')
  work({ jobName, jobParameter, shardingItem, shardingParameter }: ShardingContext): void {
    const line = JSON.stringify({ jobName, jobParameter, shardingItem, shardingParameter, pid: process.pid });
    appendFileSync(process.env[LEDGER]!, `${line}\n`);
  }
}

/** Settings of a scheduler. */
export interface TreeStage {
  readonly servers: string;
  /** Namespace of the jobs. The namespace of the tree is `{namespace}-cloud`. */
  readonly namespace: string;
  readonly ledger: string;
  readonly supervisorUrl: URL;
}

/** The application, as its schedulers and its tasks use it. */
@Module({ providers: [Shop] })
export class TreeModule {
  /** @param stage undefined in a task, which connects to nothing */
  static on(stage?: TreeStage): DynamicModule {
    const { servers = '127.0.0.1:1', namespace = 'none', ledger = '', supervisorUrl } = stage ?? {};
    return {
      module: TreeModule,
      imports: [
        ElasticJobModule.forRoot({
          registry: { type: 'zookeeper', servers, namespace, sessionTimeoutMs: 20_000 },
          drainTimeoutMs: 5_000,
          tracing: [{ type: 'log', level: 'off' }],
        }),
        ElasticJobCloudModule.forRoot({
          backend: new LocalProcesses({ maxTasks: 4, supervisorUrl }),
          defaults: { task: { env: { [LEDGER]: ledger }, graceMs: 1_000 } },
          tree: { namespace: `${namespace}-cloud` },
          allow: { commands: [SCRIPT] },
        }),
      ],
    };
  }
}
