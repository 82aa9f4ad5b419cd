// The process of a task: the conditions of its run, the run itself, and the report of its end.
//
// States: booting -> running -> closing -> ended. In every case one report is sent and one exit code is set:
// - booting: a faulty envelope, an unknown job, or an application that does not boot in time: `error`, 78.
// - running: the handler returns (0), throws (79), or is told to end and does (143).
// - until the report is sent, an uncaught error or an unexpected exit is a crash: 1.
// - SIGTERM: while booting the task ends at once, while running the signal aborts, later it changes nothing.
export * from './worker.errors.js';
export { TaskWorker, type TaskApplication, type TaskWork, type WorkerLimits } from './task-worker.js';
