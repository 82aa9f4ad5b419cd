export * from './schedule.js';
export * from './ticker.js';
