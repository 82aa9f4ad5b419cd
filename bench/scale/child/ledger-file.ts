import { openSync, writeSync } from 'node:fs';
import type { ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import type { JobEvent } from '../../../libs/elastic-job/src/tracing/index.js';
import type { LedgerLine } from '../cluster/ledger.js';

/** Writes the runs of this process line by line, so that a SIGKILL loses none of them. */
export class LedgerFile {
  private readonly file: number;

  constructor(path: string) {
    this.file = openSync(path, 'a');
  }

  run({ jobName, shardingItem: item, fireTime, source }: ShardingContext): void {
    this.write({ kind: 'run', job: jobName, item, fireTime: fireTime.getTime(), source });
  }

  hear(event: JobEvent): void {
    if (event.kind !== 'missed') return;
    const { jobName: job, items, since, fireTime } = event;
    this.write({ kind: 'missed', job, items, since, fireTime });
  }

  private write(line: LedgerLine): void {
    writeSync(this.file, `${JSON.stringify(line)}\n`);
  }
}
