import type { JobNews } from '../leases/index.js';

/** Work that an instance does for a job while a session lasts. It begins what it finds by itself. */
export interface Duty {
  hear(news: JobNews): void;
  /** Begins nothing more. What runs goes on. @default it begins nothing */
  stop?(): void;
}
