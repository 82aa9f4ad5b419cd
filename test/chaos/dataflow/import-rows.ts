import type { Clock } from '../../../libs/elastic-job/src/clock/index.js';
import { type DataflowJob, FencedError, type ShardingContext } from '../../../libs/elastic-job/src/domain/index.js';
import type { ImporterSettings, Step } from './import-plan.js';

/** Imports rows in batches, from the checkpoint on. Each step is reported to the store before the next one is made. */
export class ImportRows implements DataflowJob<number> {
  constructor(
    private readonly clock: Clock,
    private readonly settings: ImporterSettings,
  ) {}

  async fetchData(context: ShardingContext): Promise<readonly number[]> {
    const { rows, items, batch } = this.settings.plan;
    await this.tell('fetch', context);
    const share = rows / items;
    const first = (await context.checkpoint.load<number>()) ?? context.shardingItem * share;
    const end = Math.min(first + batch, (context.shardingItem + 1) * share);
    if (first === end) await this.tell('end', context);
    return Array.from({ length: end - first }, (_, index) => first + index);
  }

  async processData(context: ShardingContext, rows: readonly number[]): Promise<void> {
    await this.tell('process', context);
    await this.clock.sleep(this.clock.random() * this.settings.plan.batchMs);
    context.assertHeld();
    await this.tell('write', context, rows);
    await context.checkpoint.save(rows.at(-1)! + 1);
    await this.tell('saved', context);
  }

  /** @throws {FencedError} if the store has seen a later run of the item */
  async tell(step: Step['step'], context: ShardingContext, rows?: readonly number[]): Promise<void> {
    const { jobName, shardingItem: item, source, token } = context;
    const told: Step = { step, worker: this.settings.name, item, source, token: String(token), rows };
    const { status } = await fetch(this.settings.store, { method: 'POST', body: JSON.stringify(told) });
    if (status === 409) throw new FencedError(jobName, item, token!);
    if (status !== 204) throw new Error(`The store answers ${status} to a ${step} of item ${item}.`);
  }
}
