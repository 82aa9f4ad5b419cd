// The time by which fire times come: the host's, or the registry's while the host's runs ahead.
export * from './noted-span.js';
export * from './schedule-clock.js';
