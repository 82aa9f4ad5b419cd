// src/payment.store.ts
import { Injectable, Module, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { ShardingContext } from '@app/elastic-job';
import { PlainSqlGuard } from '@app/elastic-job/guards/plain-sql';
import { Column, DataSource, Entity, type EntityManager, PrimaryColumn } from 'typeorm';

@Entity()
class Payment {
  @PrimaryColumn('integer')
  id: number;

  @Column('text')
  text: string;
}

@Injectable()
export class PaymentStore implements OnModuleInit, OnModuleDestroy {
  private readonly dataSource = new DataSource({
    type: 'postgres',
    url: process.env.DATABASE_URL,
    entities: [Payment],
    synchronize: true, // in production a migration
  });
  readonly guard = new PlainSqlGuard({
    placeholders: '$1',
    select: (text, values) => this.dataSource.query(text, [...values]),
  });

  async onModuleInit(): Promise<void> {
    await this.dataSource.initialize();
    await this.guard.createTable((text) => this.dataSource.query(text));
  }

  /** Writes a payment once. Rejects with `FencedError`, and writes nothing, if a newer run of the item has written. */
  async write(context: ShardingContext, payment: Payment): Promise<void> {
    await this.inFence(context, (manager) => manager.upsert(Payment, payment, ['id']));
  }

  async onModuleDestroy(): Promise<void> {
    await this.dataSource.destroy();
  }

  private inFence<Result>(
    context: ShardingContext,
    effect: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return this.dataSource.transaction(async (manager) => {
      // First in the transaction: it locks the item's row until the commit.
      await this.guard.advance(context, async (text, values) => {
        const { affected } = await manager.queryRunner!.query(text, [...values], true);
        return affected;
      });
      return effect(manager);
    });
  }
}

@Module({ providers: [PaymentStore], exports: [PaymentStore] })
export class StoreModule {}
