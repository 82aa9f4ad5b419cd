// What two copies of this package in one process have in common. The only room with state that belongs to the process.
export { shared, sharedClass } from './shared.js';
