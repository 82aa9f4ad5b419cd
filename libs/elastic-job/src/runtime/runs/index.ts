// Runs on this instance, whatever has triggered them: the gate that decides if something may begin, the begin, the
// lease until its last item is settled, the items that run, and the reports of runs.
export * from './aborted-runs.js';
export * from './failing-items.js';
export * from './leases.js';
export * from './own-marks.js';
export * from './process-context.js';
export * from './run-reports.js';
export * from './running-items.js';
export * from './trigger-gate.js';
