import { parseArgsStringToArgv } from 'string-argv';
import { aClock, type Clock, SystemClock } from '../../clock/index.js';
import {
  ElasticJobError,
  ExecutorDeathError,
  executorDeathOf,
  type ExecutorEnd,
  type JobName,
  type JobProps,
  type JobType,
  oneOf,
  type OptionRow,
  OptionTable,
  type PropClasses,
  PropsReader,
  type PropTargets,
  rule,
  type ShardingContext,
  show,
  targetsAmong,
  wholeFrom,
} from '../../domain/index.js';
import { inheritedEnvironment, ProcessGroup } from '../process-group.js';
import { contextAndPropsJson, shardingContextJson } from '../sharding-context-json.js';

const COMMAND_LINE = 'script.command.line';

export const SCRIPT_PROPS: PropClasses = {
  [COMMAND_LINE]: { among: 'commands', targetOf: (line) => parseArgsStringToArgv(line)[0] },
};

/** Fencing token of the run, for a script. Not set if the run has none. */
const RUN_TOKEN = 'ELASTIC_JOB_RUN_TOKEN';
/** Epoch of the fencing token, for a script. It goes before the token in every comparison. */
const RUN_TOKEN_EPOCH = 'ELASTIC_JOB_RUN_TOKEN_EPOCH';
/** Sharding context of the run in JSON, for a script whose job type has `context: 'environment'`. */
const RUN_CONTEXT = 'ELASTIC_JOB_CONTEXT';

/** Options of `ScriptJobType`. */
export interface ScriptJobOptions {
  /**
   * Executables that may run, each as the command line names it: an absolute path, or a name that is looked up in
   * `PATH`. An interpreter such as `sh` allows everything that it can run.
   * @default those that this process's own options name, and the module's `allowRegistryTargets.commands`
   */
  readonly allow?: readonly string[];
  /** Names of variables that scripts inherit, besides `PATH` and the locale. @default none */
  readonly env?: readonly string[];
  /**
   * How a script gets its context. As the last `argument` it is Java's JSON, and every user of the machine can read it
   * (`ps`). By `stdin`, or in the variable `ELASTIC_JOB_CONTEXT` (`environment`), it has the job's `props` as well.
   * @default 'argument'
   */
  readonly context?: 'argument' | 'stdin' | 'environment';
  /** Whole number of milliseconds that a script may go on after SIGTERM before it is killed. @default 5_000 */
  readonly killGraceMs?: number;
  /** Most bytes that are kept of the end of each output; 0: none. @default 16_384 */
  readonly outputLimit?: number;
  /** Time, chance and host. @default this process's */
  readonly clock?: Clock;
}

const TABLE = new OptionTable(
  {
    allow: { rule: rule('a list of executables, such as ["/opt/settle.sh"]', areTexts) },
    env: { rule: rule('a list of names of variables', areTexts) },
    context: { rule: oneOf(['argument', 'stdin', 'environment']) },
    outputLimit: { rule: wholeFrom(0) },
    killGraceMs: { rule: wholeFrom(0) },
    clock: { rule: aClock },
  } satisfies Readonly<Record<keyof ScriptJobOptions, OptionRow>>,
  'ScriptJobType',
);

/**
 * Starts a process for each item: ElasticJob's `SCRIPT` jobs, with the same prop. The command line is split at blanks,
 * with quotes respected and without a shell. The context is appended as one argument, in JSON as Java writes it, unless
 * `context` says otherwise. The variables `ELASTIC_JOB_RUN_TOKEN` and `ELASTIC_JOB_RUN_TOKEN_EPOCH` hold the fencing
 * token. Of this process's own variables a script inherits `PATH`, the locale and those that `env` names.
 *
 * - Exit code 0 is success, any other fails the item. If a signal from elsewhere ends the process, or if it cannot be
 *   started, its executor has died, and with `failover` the item runs elsewhere.
 * - When the item is to stop, the whole process group gets SIGTERM, and SIGKILL after the grace.
 * - Processes that the script leaves in its group are killed, so that nothing works on an item that is done. A daemon
 *   leaves the group by `setsid`.
 * - A script survives the death of this process; its token shows guarded stores that it is stale.
 *
 * Props:
 * - `script.command.line` (required): executable and its arguments. The registry's is followed only to executables that
 *   are allowed.
 * @see ElasticJob, `ScriptJobExecutor`
 */
export class ScriptJobType implements JobType {
  readonly type = 'SCRIPT';
  private readonly clock: Clock;
  readonly targets: PropTargets = targetsAmong(SCRIPT_PROPS);
  private readonly passed: Required<Pick<ScriptJobOptions, 'context'>> & Pick<ScriptJobOptions, 'allow' | 'env'>;
  private readonly limits: { readonly killGraceMs: number; readonly outputLimit: number };

  /** @throws {ConfigurationError} for wrong and unknown options */
  constructor(input: ScriptJobOptions = {}) {
    const options = TABLE.checked('ScriptJobType', input);
    const { allow, env, context = 'argument', killGraceMs = 5_000, outputLimit = 16_384 } = options;
    this.clock = options.clock ?? new SystemClock();
    this.passed = { allow, env, context };
    this.limits = { outputLimit, killGraceMs };
  }

  findFaults(props: JobProps): readonly string[] {
    const [command = ''] = commandOf(props);
    const reader = new PropsReader({ [COMMAND_LINE]: command });
    reader.required(COMMAND_LINE, '/opt/settle.sh --all');
    if (props[COMMAND_LINE]?.includes('\0')) return [`${COMMAND_LINE} must hold no NUL character`];
    if (!isQuotedToTheEnd(props[COMMAND_LINE] ?? '')) return [`${COMMAND_LINE} must close its quotes`];
    if (reader.faults.length > 0 || this.isAllowed(command)) return reader.faults;
    return [`${COMMAND_LINE} must begin with one of ${this.passed.allow?.join(', ')}`];
  }

  /**
   * @returns the end of its output
   * @throws {ScriptFailedError}
   * @throws {ScriptNotAllowedError}
   * @throws {ExecutorDeathError}
   * @throws the signal's reason
   */
  async execute(context: ShardingContext): Promise<ScriptResult> {
    const { signal } = context;
    signal.throwIfAborted();
    const [command = '', ...args] = commandOf(context.props);
    if (!this.isAllowed(command)) throw new ScriptNotAllowedError(context.jobName, context.shardingItem, command);
    const way = this.passed.context;
    const script = new ProcessGroup(this.clock, {
      command,
      args: way === 'argument' ? [...args, shardingContextJson(context)] : args,
      env: {
        ...inheritedEnvironment(this.passed.env),
        ...tokenOf(context),
        ...(way === 'environment' && { [RUN_CONTEXT]: contextAndPropsJson(context) }),
      },
      input: way === 'stdin' ? contextAndPropsJson(context) : undefined,
      ...this.limits,
    });
    const terminate = (): void => script.terminate();
    signal.addEventListener('abort', terminate);
    try {
      const end = await script.exited;
      await script.end();
      signal.throwIfAborted();
      return resultOf(context, command, end, { stdout: script.stdout.text, stderr: script.stderr.text });
    } finally {
      signal.removeEventListener('abort', terminate);
    }
  }

  private isAllowed(command: string): boolean {
    return this.passed.allow === undefined || this.passed.allow.includes(command);
  }
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string' && one !== '');
}

function commandOf(props: JobProps): readonly string[] {
  return parseArgsStringToArgv(props[COMMAND_LINE] ?? '');
}

/** @see Apache Commons Exec, `CommandLine.parse`, which Java uses and which refuses such a line */
function isQuotedToTheEnd(line: string): boolean {
  return !/['"]/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, ''));
}

function tokenOf({ token, tokenEpoch }: ShardingContext): NodeJS.ProcessEnv {
  return {
    [RUN_TOKEN]: token?.toString(),
    [RUN_TOKEN_EPOCH]: token === undefined ? undefined : String(tokenEpoch),
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
