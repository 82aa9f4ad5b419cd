import type { Hearing } from '../leases/index.js';

/** Work that an instance does for a job while a session lasts. It begins what it finds by itself. */
export interface Duty {
  readonly hears: Hearing;
  /** Begins nothing more. What runs goes on. @default it begins nothing */
  stop?(): void;
}
