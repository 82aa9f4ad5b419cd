import { execFileSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../clock/index.js';
import {
  CancelledError,
  ConfigurationError,
  ExecutorDeathError,
  guardProps,
  type JobProps,
  type ShardingContext,
} from '../../domain/index.js';
import { VirtualClock } from '../../testing/index.js';
import { all, setUp, SUCCEEDED } from '@test/support/unit/hand-made-lease.js';
import {
  ScriptFailedError,
  type ScriptJobOptions,
  ScriptJobType,
  ScriptNotAllowedError,
  type ScriptResult,
} from './index.js';

const clock = new SystemClock();
const REASON = new CancelledError('settle-orders', 1);

let directory: string;
/** A named pipe: a script writes into it to report progress, and reading waits for that. */
let told: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'script-job-'));
  told = join(directory, 'told');
  execFileSync('mkfifo', [told]);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

/** @param facts replace those of the context */
function runItem(
  commandLine: string,
  options: ScriptJobOptions = {},
  jobParameter = '',
  facts: Partial<ShardingContext> = {},
) {
  const stage = setUp({ items: [1], options: { props: { 'script.command.line': commandLine }, jobParameter } });
  const type = new ScriptJobType({ killGraceMs: 2_000, ...options });
  let result: ScriptResult | undefined;
  const outcomes = all(stage.run(async (context) => (result = await type.execute({ ...context, ...facts }))));
  return { ...stage, result: () => result!, outcome: async () => (await outcomes)[0]!.outcome };
}

/** A shell script as the command line names it: the context is its $1. */
function shell(script: string): string {
  return `sh -c "${script}" script`;
}

async function errorOf(commandLine: string, options?: ScriptJobOptions, jobParameter = ''): Promise<unknown> {
  const outcome = await runItem(commandLine, options, jobParameter).outcome();
  return outcome.kind === 'failed' ? outcome.error : outcome;
}

/** It has left the group of its script once there is its file. */
function daemonOf(path: string): string {
  return `: > ${path}.left; echo $$ > ${path}; exec sleep 600`;
}

/** Zombies count as ended. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s*[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

async function toldPids(): Promise<string[]> {
  return (await readFile(told, 'utf8')).trim().split(/\s+/);
}

describe('a script', () => {
  it('appends the context as the last argument and puts the token into the environment', async () => {
    const shown = '[process.argv.slice(1), env.ELASTIC_JOB_RUN_TOKEN, env.ELASTIC_JOB_RUN_TOKEN_EPOCH]';
    const { outcome, result } = runItem(
      `${process.execPath} -p "const { env } = process; JSON.stringify(${shown})" 'a b' c`,
    );

    expect(await outcome()).toEqual(SUCCEEDED);

    const [args, token, epoch]: [string[], string, string] = JSON.parse(result().stdout);
    expect(args.slice(0, 2)).toEqual(['a b', 'c']);
    expect(JSON.parse(args[2]!)).toMatchObject({ jobName: 'settle-orders', shardingItem: 1, shardingTotalCount: 5 });
    expect([token, epoch]).toEqual(['101', '3']);
    expect(args).toHaveLength(3);
  });

  it('fails with the exit code and the output, for another exit code than 0', async () => {
    const error = await errorOf(shell('echo half done; echo no such order >&2; exit 3'));

    expect(error).toBeInstanceOf(ScriptFailedError);
    expect(error).toMatchObject({
      code: 'SCRIPT_FAILED',
      exitCode: 3,
      stdout: 'half done\n',
      stderr: 'no such order\n',
      message: 'Item 1 of job "settle-orders": sh has ended with exit code 3: no such order',
    });
  });

  it('shows the end of its output in its error if it has written no error', async () => {
    const digits = (from: number) => Array.from({ length: 600 }, (_, index) => (from + index) % 10).join('');

    expect(await errorOf(shell('echo half done; exit 1'))).toMatchObject({
      message: expect.stringMatching(/: half done$/),
    });
    expect(await errorOf(shell(`echo ${digits(0)}; exit 1`))).toMatchObject({
      message: `Item 1 of job "settle-orders": sh has ended with exit code 1: ${digits(0).slice(-500)}`,
    });
  });

  it('keeps the end of a long output, and never blocks the script', async () => {
    const error = await errorOf(shell('i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; exit 1'), {
      outputLimit: 64,
    });

    expect(error).toMatchObject({ stdout: expect.stringMatching(/^\.\.\.[^]{64}$/), exitCode: 1 });
    expect(error).toMatchObject({ stdout: expect.stringMatching(/line 19999\n$/) });
  });

  it('counts as a killed executor if a signal from elsewhere ends it', async () => {
    const error = await errorOf(shell('echo before; kill -9 $$'));

    expect(error).toBeInstanceOf(ExecutorDeathError);
    expect(error).toMatchObject({
      state: 'KILLED',
      detail: 'signal SIGKILL',
      cause: { stdout: 'before\n', exitCode: null },
    });
  });

  it('counts as an executor that could not start if its command does not exist', async () => {
    expect(await errorOf('/no/such/command')).toMatchObject({
      code: 'EXECUTOR_DEATH',
      state: 'ERROR',
      detail: expect.stringContaining('ENOENT'),
    });
  });

  it.each([
    ['does not exist', 'ENOENT', '/no/such/command --key=s3cret', {}],
    ['may not be executed', 'EACCES', '/etc/passwd --key=s3cret', {}],
    ['is too long', 'E2BIG', `true --key=s3cret ${'a'.repeat(200_000)}`, {}],
    ['has a variable that is too long', 'E2BIG', `true --key=s3cret`, { context: 'environment' }],
    ['holds a NUL character', 'ERR_INVALID_ARG_VALUE', 'true --key=s3cret\0', {}],
  ] as const)('could not start if its command %s, and its error has no argument', async (_, code, line, options) => {
    const jobParameter = 'context' in options ? 'a'.repeat(200_000) : '';

    const error = await errorOf(line, options, jobParameter);

    expect(error).toBeInstanceOf(ExecutorDeathError);
    expect(error).toMatchObject({ state: 'ERROR', detail: `spawn ${line.split(' ', 1)[0]} ${code}`, cause: { code } });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('s3cret');
  });

  it('keeps nothing of the output with outputLimit 0', async () => {
    expect(await errorOf(shell('echo half done; exit 1'), { outputLimit: 0 })).toMatchObject({ stdout: '...' });
  });

  it('leaves no process behind after it has succeeded', async () => {
    const { lease, outcome, openEnds } = runItem(shell(`sleep 600 >/dev/null 2>&1 & echo $! > ${told}`));
    const [left] = await toldPids();

    expect(await outcome()).toEqual(SUCCEEDED);

    await gone(left!);
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
    expect(getEventListeners(lease.signalOf(1), 'abort')).toEqual([]);
  });

  it('is done at once though a process that it has left behind holds its output', async () => {
    const still = new VirtualClock();

    expect(await runItem(shell('sleep 600 & echo done'), { clock: still }).outcome()).toEqual(SUCCEEDED);
  });

  it('is done a moment later though a daemon of it holds its output', async () => {
    const hours = new VirtualClock();
    const { outcome } = runItem(
      shell(`setsid sh -c '${daemonOf(told)}' & until [ -e ${told}.left ]; do sleep 0.01; done`),
      { clock: hours },
    );
    const [daemon] = await toldPids();
    try {
      while (hours.pendingTimers === 0) await clock.nextTurn();
      await hours.advance(2_000);

      expect(await outcome()).toEqual(SUCCEEDED);
      expect(isRunning(daemon!)).toBe(true);
    } finally {
      process.kill(Number(daemon), 'SIGKILL');
    }
  });
});

describe('what a script is told', () => {
  const PRINT_ENV = `${process.execPath} -p "JSON.stringify(process.env)"`;

  it('passes PATH, the locale, the token and the listed variables to the script', async () => {
    vi.stubEnv('DATABASE_PASSWORD', 's3cret');
    vi.stubEnv('ORDERS_HOME', '/srv/orders');
    vi.stubEnv('LC_ALL', 'C');
    const { outcome, result } = runItem(PRINT_ENV, { env: ['ORDERS_HOME'] });

    expect(await outcome()).toEqual(SUCCEEDED);

    const env: Record<string, string> = JSON.parse(result().stdout);
    expect(env).toMatchObject({ PATH: process.env['PATH'], LC_ALL: 'C', ORDERS_HOME: '/srv/orders' });
    const others = Object.keys(env).filter((name) => !/^(PATH|LANG|LANGUAGE|LC_.*|ORDERS_HOME)$/.test(name));
    expect(others.toSorted()).toEqual(['ELASTIC_JOB_RUN_TOKEN', 'ELASTIC_JOB_RUN_TOKEN_EPOCH']);
  });

  it.each([
    ['stdin', `${process.execPath} -p "require('fs').readFileSync(0, 'utf8')" --`],
    ['environment', `${process.execPath} -p process.env.ELASTIC_JOB_CONTEXT --`],
  ] as const)('passes the context with its props by %s, and shows it in no argument', async (context, commandLine) => {
    const { outcome, result } = runItem(commandLine, { context });

    expect(await outcome()).toEqual(SUCCEEDED);

    expect(JSON.parse(result().stdout)).toMatchObject({
      jobName: 'settle-orders',
      shardingItem: 1,
      props: { 'script.command.line': commandLine },
    });
    const shown = runItem(`${process.execPath} -p process.argv.length`, { context });
    expect(await shown.outcome()).toEqual(SUCCEEDED);
    expect(shown.result().stdout).toBe('1\n');
  });

  it('has no token if the run has none', async () => {
    const { outcome, result } = runItem(PRINT_ENV, {}, '', { token: undefined });

    expect(await outcome()).toEqual(SUCCEEDED);

    const names = Object.keys(JSON.parse(result().stdout));
    expect(names.filter((name) => name.startsWith('ELASTIC_JOB'))).toEqual([]);
  });

  it('has an empty input unless the context comes by it', async () => {
    const { outcome, result } = runItem(shell('cat'));

    expect(await outcome()).toEqual(SUCCEEDED);

    expect(result().stdout).toBe('');
  });

  it('lets a script succeed that does not read its input', async () => {
    expect(await runItem('true', { context: 'stdin' }).outcome()).toEqual(SUCCEEDED);
  });
});

describe('what a script may be', () => {
  it('refuses a command that is not in the list, and starts nothing', async () => {
    const type = new ScriptJobType({ allow: ['/opt/settle.sh'] });
    expect(type.findFaults({ 'script.command.line': '/opt/settle.sh --all' })).toEqual([]);
    expect(type.findFaults({ 'script.command.line': '/opt/../bin/sh -c id' })).toEqual([
      'script.command.line must begin with one of /opt/settle.sh',
    ]);
    const error = await errorOf(shell(`echo started > ${told}`), { allow: ['/opt/settle.sh'] });
    expect(error).toBeInstanceOf(ScriptNotAllowedError);
    expect(error).toMatchObject({ code: 'SCRIPT_NOT_ALLOWED', command: 'sh' });
  });
});

describe('the command of a script', () => {
  const COMMAND = 'script.command.line';

  it('is followed in an edit of the registry only if the process allows it', () => {
    const { targets } = new ScriptJobType();
    const local = { [COMMAND]: '/opt/settle.sh' };
    const allowed = { commands: ['/opt/report.sh'] };
    for (const [line, refused] of [
      ['/opt/report.sh --all', []],
      ['/bin/sh -c id', [COMMAND]],
    ] as const)
      expect(guardProps(local, { [COMMAND]: line }, targets, allowed)).toMatchObject({ refused });
  });

  it.each(["sh -c 'it is'", 'sh -c "it is"', `sh -c 'say "yes' "it's"`])('may be quoted: %s', (line) => {
    expect(new ScriptJobType().findFaults({ [COMMAND]: line })).toEqual([]);
  });

  it.each(["sh -c 'it is", 'sh -c "it is', `sh -c 'it is' "`])('must close its quotes: %s', (line) => {
    const faults = ['script.command.line must close its quotes'];
    expect(new ScriptJobType({ allow: ['sh'] }).findFaults({ [COMMAND]: line })).toEqual(faults);
  });

  it('is asked for before it is compared with what is allowed', () => {
    expect(new ScriptJobType({ allow: ['sh'] }).findFaults({})).toEqual([
      'script.command.line must be given, such as "/opt/settle.sh --all"',
    ]);
  });
});

describe('an item that is told to stop', () => {
  it("ends the whole process group when the signal aborts, with the signal's reason as the outcome", async () => {
    const { lease, outcome, openEnds } = runItem(shell(`sleep 600 & sleep 600 & echo $$ $! > ${told}; wait`));
    const pids = await toldPids();
    expect(pids.map(isRunning)).toEqual([true, true]);

    lease.abortItem(1, REASON);

    expect(await outcome()).toEqual({ kind: 'aborted', reason: REASON });
    await Promise.all(pids.map(gone));
    expect(openEnds()).toEqual({ timers: 0, listeners: 0 });
  });

  it('kills a child that ignores SIGTERM once the grace is over', async () => {
    const deaf = `trap '' TERM; echo $$ > ${told}; while :; do sleep 0.05; done`;
    const { lease, outcome } = runItem(shell(deaf), { killGraceMs: 100 });
    const [pid] = await toldPids();
    const begunAt = clock.monotonicNow();

    lease.abortItem(1, REASON);

    expect(await outcome()).toMatchObject({ kind: 'aborted' });
    expect(clock.monotonicNow() - begunAt).toBeGreaterThanOrEqual(100);
    await gone(pid!);
  });

  it('kills a child that ignores SIGTERM, without the rest of the grace, once nothing of it can be read', async () => {
    const deaf = `trap '' TERM; : > ${told}.deaf; exec sleep 600`;
    const untilDeaf = `until [ -e ${told}.deaf ]; do sleep 0.01; done`;
    const { lease, outcome } = runItem(shell(`(${deaf}) >/dev/null 2>&1 & ${untilDeaf}; echo $! > ${told}; wait`), {
      clock: new VirtualClock(),
    });
    const [left] = await toldPids();

    lease.abortItem(1, REASON);

    expect(await outcome()).toMatchObject({ kind: 'aborted' });
    await gone(left!);
  });

  it('gives a worker below a shell its grace, although the shell is gone at once', async () => {
    const farewell = join(directory, 'farewell');
    const onTerm = `sleep 0.1; echo bye > ${farewell}; exit 0`;
    const worker = `trap '${onTerm}' TERM; echo go > ${told}; while :; do sleep 0.01; done`;
    const { lease, outcome } = runItem(shell(`(${worker}) & wait`));
    await toldPids();

    lease.abortItem(1, REASON);

    expect(await outcome()).toMatchObject({ kind: 'aborted' });
    expect(await readFile(farewell, 'utf8')).toBe('bye\n');
  });
});

describe('the props of a script', () => {
  it.each<JobProps>([{}, { 'script.command.line': '' }, { 'script.command.line': '  ' }])(
    'are refused without a command line: %j',
    (props) => {
      expect(new ScriptJobType().findFaults(props)).toEqual([
        'script.command.line must be given, such as "/opt/settle.sh --all"',
      ]);
    },
  );

  it('are refused with a NUL character, which no command may hold, and are not repeated', () => {
    expect(new ScriptJobType().findFaults({ 'script.command.line': 'true s3cret\0' })).toEqual([
      'script.command.line must hold no NUL character',
    ]);
  });

  it('are accepted with a command line', () => {
    expect(new ScriptJobType().findFaults({ 'script.command.line': 'true' })).toEqual([]);
  });
});

describe('the options of scripts', () => {
  it.each([-1, 1.5, Number.NaN, Infinity])('must be whole numbers, and not %d', (wrong) => {
    const make = () => new ScriptJobType({ outputLimit: wrong, killGraceMs: wrong });
    expect(make).toThrow(ConfigurationError);
    expect(make).toThrow(/outputLimit must be a whole number from 0.*killGraceMs must be/s);
  });

  it.each<[unknown]>([['sh'], [['']], [[5]], [['sh', '']]])(
    'must be lists of texts that are not empty, and not %j',
    (wrong) => {
      const options: object = { allow: wrong, env: wrong };
      const make = () => new ScriptJobType({ ...options });
      expect(make).toThrow(ConfigurationError);
      expect(make).toThrow(/allow must be a list of executables.*env must be a list of names/s);
    },
  );
});

/** SIGKILL was sent, so only the kernel's own work remains. */
async function gone(pid: string): Promise<void> {
  while (isRunning(pid)) await clock.nextTurn();
}
