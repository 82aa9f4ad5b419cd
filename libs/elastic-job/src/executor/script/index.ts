/** Jobs whose work is done by a child process; the optional peer `string-argv` splits its command line. */
export * from './script-failed.error.js';
export { type ScriptJobOptions, ScriptJobType } from './script.job-type.js';
