import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { StatisticsDatabase } from '../cities/statistics.database.js';

/** Mishaps of the demo: a task that uses too much memory, and one that waits to be killed. */
export type Mishap = 'memory' | 'kill';

const BLOCK_BYTES = 32 * 1024 * 1024;

/** Mishaps that wait for a task. They stand in the database, so that each hits only one task. */
export class Mishaps {
  private constructor(private readonly database: StatisticsDatabase) {}

  static async open(database: StatisticsDatabase): Promise<Mishaps> {
    await sql`create table if not exists mishap (kind varchar(10) primary key, pid integer)`.execute(database);
    return new Mishaps(database);
  }

  async arrange(kind: Mishap): Promise<void> {
    await sql`insert into mishap (kind) values (${kind})`.execute(this.database);
  }

  /** Process id of the task that waits to be killed; undefined while there is none. */
  async victim(): Promise<number | undefined> {
    const { rows } = await sql<{ pid: number | null }>`select pid from mishap where kind = 'kill'`.execute(
      this.database,
    );
    return rows[0]?.pid ?? undefined;
  }

  /** Called by each task when it begins. Never returns for the task that a mishap hits. */
  async befall(signal: AbortSignal): Promise<void> {
    if (await this.take('memory')) await this.eatMemory();
    if (await this.take('kill')) await sleep(60_000, undefined, { signal });
  }

  private async take(kind: Mishap): Promise<boolean> {
    const { rows } = await sql`
      update mishap set pid = ${process.pid} where kind = ${kind} and pid is null returning kind
    `.execute(this.database);
    return rows.length > 0;
  }

  private async eatMemory(): Promise<never> {
    const held: Buffer[] = [];
    for (;;) {
      held.push(Buffer.alloc(BLOCK_BYTES, held.length));
      await sleep(20);
    }
  }
}
