// The process of a task: what its run may rely on, how it is run, and how it tells of its end.
//
// States: booting -> running -> closing -> ended. Whatever happens, one report is told and one exit code is set:
// - booting: a faulty envelope, a job that is not there, or an application that does not boot in time: `error`, 78.
// - running: the handler returns (0), throws (79), or is told to end and does (143).
// - until the report is told, an error that nobody catches, or an exit that nobody expects, is a crash: 1.
// - SIGTERM: while booting the task ends at once, while running the signal aborts, later it changes nothing.
export * from './worker.errors.js';
export { TaskWorker, type TaskApplication, type TaskWork, type WorkerLimits } from './task-worker.js';
