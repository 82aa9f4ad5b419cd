import { parseArgsStringToArgv } from 'string-argv';
import { type Clock, SystemClock } from '../../clock/index.js';
import {
  ExecutorDeathError,
  executorDeathOf,
  type ExecutorEnd,
  type JobProps,
  type JobType,
  PropsReader,
  type ShardingContext,
} from '../../domain/index.js';
import { shardingContextJson } from '../sharding-context-json.js';
import { ProcessGroup } from './process-group.js';
import { ScriptFailedError, type ScriptResult } from './script-failed.error.js';

const COMMAND_LINE = 'script.command.line';

export interface ScriptJobOptions {
  /** How long a script may take to heed SIGTERM before it is killed, in milliseconds. @default 5_000 */
  readonly killGraceMs?: number;
  /** How much of the end of each output is kept, in bytes. @default 16_384 */
  readonly outputLimit?: number;
  /** @default this process's */
  readonly clock?: Clock;
}

/**
 * Starts a process for each item: ElasticJob's `SCRIPT` jobs, with the same prop. The command line is split at blanks, with
 * quotes respected and no shell between; the context is appended as one argument, in JSON as Java writes it. The variables
 * `ELASTIC_JOB_RUN_TOKEN` and `ELASTIC_JOB_RUN_TOKEN_EPOCH` hold the fencing token.
 *
 * - Exit code 0 is success, any other fails the item. If somebody else's signal ends the process, or it cannot be started,
 *   its executor has died, and with `failover` the item runs elsewhere.
 * - When the item is to stop, the whole process group gets SIGTERM, and SIGKILL after the grace.
 * - What the script leaves in its group when it ends is killed: an item that is done has nobody working on it. A daemon
 *   leaves the group by `setsid`.
 * - A script outlives this process if that is killed; it has the token to prove that it is stale.
 * @see ElasticJob, `ScriptJobExecutor`
 */
export class ScriptJobType implements JobType {
  readonly type = 'SCRIPT';
  private readonly clock: Clock;
  private readonly limits: { readonly killGraceMs: number; readonly outputLimit: number };

  constructor({ killGraceMs = 5_000, outputLimit = 16_384, clock = new SystemClock() }: ScriptJobOptions = {}) {
    this.clock = clock;
    this.limits = { killGraceMs, outputLimit };
  }

  findFaults(props: JobProps): readonly string[] {
    const [command = ''] = commandOf(props);
    const reader = new PropsReader({ [COMMAND_LINE]: command });
    reader.required(COMMAND_LINE, '/opt/settle.sh --all');
    return isQuotedToTheEnd(props[COMMAND_LINE] ?? '') ? reader.faults : [`${COMMAND_LINE} must close its quotes`];
  }

  /** @returns what it has written @throws {ScriptFailedError} @throws {ExecutorDeathError} @throws the signal's reason */
  async execute(context: ShardingContext): Promise<ScriptResult> {
    const { signal } = context;
    signal.throwIfAborted();
    const [command = '', ...args] = commandOf(context.props);
    const env = environmentOf(context);
    const script = new ProcessGroup(this.clock, {
      command,
      args: [...args, shardingContextJson(context)],
      env,
      ...this.limits,
    });
    const terminate = (): void => script.terminate();
    signal.addEventListener('abort', terminate, { once: true });
    try {
      const end = await script.exited;
      await script.end();
      signal.throwIfAborted();
      return resultOf(context, command, end, { stdout: script.stdout.text, stderr: script.stderr.text });
    } finally {
      signal.removeEventListener('abort', terminate);
    }
  }
}

function commandOf(props: JobProps): readonly string[] {
  return parseArgsStringToArgv(props[COMMAND_LINE] ?? '');
}

/** @see Apache Commons Exec, `CommandLine.parse`, by which Java reads the line and refuses it */
function isQuotedToTheEnd(line: string): boolean {
  return !/['"]/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, ''));
}

function environmentOf({ token, tokenEpoch }: ShardingContext): NodeJS.ProcessEnv {
  return {
    ...process.env,
    ELASTIC_JOB_RUN_TOKEN: token?.toString(),
    ELASTIC_JOB_RUN_TOKEN_EPOCH: token === undefined ? undefined : String(tokenEpoch),
  };
}

function resultOf(
  { jobName, shardingItem }: ShardingContext,
  command: string,
  end: ExecutorEnd,
  output: Omit<ScriptResult, 'exitCode'>,
): ScriptResult {
  const death = executorDeathOf(end);
  const exitCode = 'code' in end ? end.code : null;
  const result = { exitCode, ...output };
  if (death === undefined) return result;
  if (death.state === 'ERROR') throw death;
  const failure = new ScriptFailedError(jobName, shardingItem, command, death.detail, result);
  throw exitCode === null ? new ExecutorDeathError(death.state, death.detail, { cause: failure }) : failure;
}
