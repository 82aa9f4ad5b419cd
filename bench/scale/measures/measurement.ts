import type { Stage } from '../stage.js';

/** The figures of one round, by name. */
export type Figures = Readonly<Record<string, number>>;

/** One round. @returns no figures, after a message, if it cannot be made on this machine */
export type Measurement = (stage: Stage) => Promise<Figures>;
