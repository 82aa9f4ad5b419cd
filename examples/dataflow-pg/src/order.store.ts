import { Injectable, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ShardingContext } from 'nestjs-elastic-job';
import { PlainSqlGuard, SqlConnection } from 'nestjs-elastic-job/guards/plain-sql';
import { Pool } from 'pg';

const BATCH = 100;

@Injectable()
export class OrderStore implements OnModuleInit, OnModuleDestroy {
  private readonly pool = new Pool({ connectionString: process.env.DATABASE_URL });
  readonly guard = new PlainSqlGuard({
    placeholders: '$1',
    select: async (text, values) => (await this.pool.query(text, [...values])).rows,
  });

  async onModuleInit(): Promise<void> {
    await this.guard.createTable((text) => this.pool.query(text));
    await this.pool.query('create table if not exists orders (id serial primary key, settled_at timestamptz)');
  }

  async add(count: number): Promise<void> {
    await this.pool.query('insert into orders (settled_at) select null from generate_series(1, $1::int)', [count]);
  }

  async countSettled(): Promise<number> {
    const { rows } = await this.pool.query<{ count: string }>('select count(settled_at) from orders');
    return Number(rows[0]?.count);
  }

  /** The ids of the item's next orders. */
  async next({ shardingItem, shardingTotalCount }: ShardingContext, after: number): Promise<number[]> {
    const { rows } = await this.pool.query<{ id: number }>(
      'select id from orders where id > $1 and id % $2 = $3 order by id limit $4',
      [after, shardingTotalCount, shardingItem, BATCH],
    );
    return rows.map(({ id }) => id);
  }

  /** Settles a batch in one transaction. Rejects with `FencedError` if a newer run of the item has settled since. */
  async settle(context: ShardingContext, ids: readonly number[]): Promise<void> {
    const client = await this.pool.connect();
    try {
      const connection = new SqlConnection(async (sql, values) => (await client.query(sql, [...values])).rowCount);
      await this.guard.write(context, connection, () =>
        client.query('update orders set settled_at = now() where id = any($1) and settled_at is null', [ids]),
      );
    } finally {
      client.release();
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.pool.end();
  }
}

@Module({ providers: [OrderStore], exports: [OrderStore] })
export class StoreModule {}
