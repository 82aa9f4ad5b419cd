import type { MemoryRegistry } from '@app/elastic-job/registry';
import type { Clock } from '@app/elastic-job';
import type { MemoryTaskCluster } from '@app/elastic-job/testing';
import type { Kysely } from 'kysely';

/** Parts that the instances of the demo share. */
export interface Shop {
  readonly clock: Clock;
  readonly server: MemoryRegistry;
  /** Database of the history, in memory. */
  readonly database: Kysely<unknown>;
  /** Tasks, which outlive the instance that has launched them. */
  readonly tasks: MemoryTaskCluster;
}
