import { ElasticJobError, type JobName, show } from '../../domain/index.js';

/** How much of the output the message repeats, in characters. */
const SHOWN_OUTPUT = 500;

/** How a script has ended, and the end of what it has written. */
export interface ScriptResult {
  /** Null: a signal has ended it. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line leads to an executable that this process does not allow. Nothing was started. */
export class ScriptNotAllowedError extends ElasticJobError {
  readonly code = 'SCRIPT_NOT_ALLOWED';

  constructor(
    readonly jobName: JobName,
    readonly item: number,
    readonly command: string,
  ) {
    super(
      `Item ${item} of job "${jobName}": ${show(command)} is not allowed, so nothing was started; ScriptJobType's allow names what is.`,
    );
  }
}

/** A script has ended with another exit code than 0, or by a signal. */
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
