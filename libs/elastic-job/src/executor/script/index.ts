/** Jobs whose work is done by a child process; the optional peer `string-argv` splits its command line. */
export {
  ScriptFailedError,
  type ScriptJobOptions,
  ScriptJobType,
  ScriptNotAllowedError,
  type ScriptResult,
} from './script.job-type.js';
