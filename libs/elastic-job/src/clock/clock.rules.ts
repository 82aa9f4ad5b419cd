import { having } from '../domain/index.js';

/** Rule of an option that is a `Clock`. */
export const aClock = having('a Clock', 'wallNow', 'monotonicNow', 'setTimer');
