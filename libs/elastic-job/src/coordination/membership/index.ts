export * from './absences.js';
export * from './instances.js';
export * from './servers.js';
