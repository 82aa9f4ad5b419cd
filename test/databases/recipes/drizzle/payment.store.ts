// src/payment.store.ts
import { Injectable, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable, text } from 'drizzle-orm/pg-core';
import type { ShardingContext } from '@app/elastic-job';
import { PlainSqlGuard } from '@app/elastic-job/guards/plain-sql';
import { Pool } from 'pg';

const payment = pgTable('payment', { id: integer().primaryKey(), text: text().notNull() });
type Payment = typeof payment.$inferInsert;

/** Drizzle's form of a statement with `?` for each parameter. */
function statement(given: string, values: readonly unknown[]): SQL {
  const [first = '', ...parts] = given.split('?');
  return sql.join([sql.raw(first), ...parts.flatMap((part, index) => [sql`${values[index]}`, sql.raw(part)])]);
}

@Injectable()
export class PaymentStore implements OnModuleInit, OnModuleDestroy {
  private readonly pool = new Pool({ connectionString: process.env.DATABASE_URL });
  private readonly db = drizzle(this.pool);
  readonly guard = new PlainSqlGuard({
    placeholders: '?',
    select: async (given, values) => (await this.db.execute(statement(given, values))).rows,
  });

  async onModuleInit(): Promise<void> {
    await this.guard.createTable((given) => this.db.execute(given));
    await this.db.execute(sql`create table if not exists ${payment} (id integer primary key, text text not null)`);
  }

  /** Writes a payment once. Rejects with `FencedError`, and writes nothing, if a newer run of the item has written. */
  async write(context: ShardingContext, values: Payment): Promise<void> {
    await this.db.transaction(async (tx) => {
      // First in the transaction: it locks the item's row until the commit.
      await this.guard.advance(context, async (...given) => (await tx.execute(statement(...given))).rowCount);
      await tx.insert(payment).values(values).onConflictDoNothing();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.pool.end();
  }
}

@Module({ providers: [PaymentStore], exports: [PaymentStore] })
export class StoreModule {}
