import type { Stage } from '../stage.js';

/** What one round of a measurement has shown, by name. */
export type Figures = Readonly<Record<string, number>>;

/** One round. @returns no figures if it cannot be made on this machine, of which it has told */
export type Measurement = (stage: Stage) => Promise<Figures>;
