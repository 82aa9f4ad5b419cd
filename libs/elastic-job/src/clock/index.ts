export * from './back-off.js';
export * from './clock.js';
export * from './deadline.js';
export * from './host-address.js';
export * from './schedule-time.js';
export * from './sleep.js';
export * from './system-clock.js';
export * from './wait-for.js';
