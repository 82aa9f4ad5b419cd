import type { Hearing } from '../leases/index.js';

/**
 * Work that an instance does for a job while a session lasts. It begins what it finds by itself. It hears each kind of
 * news that it has a method of the same name for: tables of closures in each job would be its largest part.
 */
export interface Duty extends Hearing {
  /** Begins nothing more. What runs goes on. @default it begins nothing */
  stop?(): void;
}

/** One kind of what a duty hears. */
export type News<Kind extends keyof Hearing> = Parameters<NonNullable<Hearing[Kind]>>[0];
