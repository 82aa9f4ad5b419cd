// The job as the code defines it and as the registry has it: the settings in force, why others are not, and its fire
// times here.
export * from './job-definition.js';
export * from './job-schedule.js';
export * from './job-settings.js';
export * from './runtime-options.js';
export * from './settings-reports.js';
