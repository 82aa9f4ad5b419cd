import { ElasticJobError, type JobName, show } from '../../domain/index.js';

/** Most characters of the output in the message. */
const SHOWN_OUTPUT = 500;

/** How a script has ended, and the end of its output. */
export interface ScriptResult {
  /** Null if a signal has ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A command line names an executable that this process does not allow. Nothing was started.
 * @remarks Add the executable to `allow` of the `ScriptJobType`, or correct the command line.
 */
export class ScriptNotAllowedError extends ElasticJobError {
  readonly code = 'SCRIPT_NOT_ALLOWED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly command: string,
  ) {
    super(
      `Item ${item} of job "${jobName}": ${show(command)} is not allowed, so nothing was started; ` +
        'add it to the option allow of ScriptJobType.',
    );
  }
}

/**
 * A script has ended with an exit code other than 0, or by a signal.
 * @remarks Look at the exit code and the output that the error holds. Exit code 0 means success.
 */
export class ScriptFailedError extends ElasticJobError {
  readonly code = 'SCRIPT_FAILED';
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;

  /** @param command without its arguments, which may hold a secret */
  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly command: string,
    detail: string,
    { exitCode, stdout, stderr }: ScriptResult,
  ) {
    const output = (stderr.trim() || stdout.trim()).slice(-SHOWN_OUTPUT);
    super(`Item ${item} of job "${jobName}": ${command} has ended with ${detail}${output && `: ${output}`}`);
    this.exitCode = exitCode;
    this.stdout = stdout;
    this.stderr = stderr;
  }
}
