// State that two copies of this package in one process share. No other room has state of the process.
export { shared, sharedClass } from './shared.js';
