import type { ShardingContext } from '@app/elastic-job';
import type { DemoEvent } from './demo-event.js';

/** Hooks by which the demo observes one instance, and interferes with it. */
export interface Observer {
  /** Display name of the instance. */
  readonly instance: string;
  readonly hear: (event: DemoEvent) => void;
  /** Awaited before each write, in the gap between the job's own check and the store's. */
  readonly beforeWrite?: (context: ShardingContext) => Promise<void>;
}
