// src/payment.store.ts
import { Injectable, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ShardingContext } from '@app/elastic-job';
import { PlainSqlGuard, SqlConnection } from '@app/elastic-job/guards/plain-sql';
import { Pool } from 'pg';

interface Payment {
  readonly id: number;
  readonly text: string;
}

@Injectable()
export class PaymentStore implements OnModuleInit, OnModuleDestroy {
  private readonly pool = new Pool({ connectionString: process.env.DATABASE_URL });
  readonly guard = new PlainSqlGuard({
    placeholders: '$1',
    select: async (text, values) => (await this.pool.query(text, [...values])).rows,
  });

  async onModuleInit(): Promise<void> {
    await this.guard.createTable((text) => this.pool.query(text));
    await this.pool.query('create table if not exists payment (id integer primary key, text text not null)');
  }

  /** Writes a payment once. Rejects with `FencedError`, and writes nothing, if a newer run of the item has written. */
  async write(context: ShardingContext, { id, text }: Payment): Promise<void> {
    const client = await this.pool.connect();
    try {
      const connection = new SqlConnection(async (sql, values) => (await client.query(sql, [...values])).rowCount);
      await this.guard.write(context, connection, () =>
        client.query('insert into payment values ($1, $2) on conflict do nothing', [id, text]),
      );
    } finally {
      client.release();
    }
  }

  async onModuleDestroy(): Promise<void> {
    await this.pool.end();
  }
}

@Module({ providers: [PaymentStore], exports: [PaymentStore] })
export class StoreModule {}
