import type { Hearing } from '../leases/index.js';

/**
 * Work that an instance does for a job while a session lasts. It begins on its own what it finds. A duty hears every
 * kind of news for which it has a method of the same name; methods are shared, while tables of closures would be the
 * largest part of a job.
 */
export interface Duty extends Hearing {
  /** Begins nothing more; running items go on. @default it begins nothing */
  stop?(): void;
}

/** One kind of news that a duty hears. */
export type News<Kind extends keyof Hearing> = Parameters<NonNullable<Hearing[Kind]>>[0];
