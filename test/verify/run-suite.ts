import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { guard } from '@test/support/zookeeper/guard.js';
import type { Suite } from '../suites.js';

/** Failed files of a suite that may run a second time. A fault of the code fails twice, or in more files. */
const MOST_FILES = 2;

export interface Outcome {
  readonly suite: Suite;
  readonly isGreen: boolean;
  readonly seconds: number;
  /** Test files that failed first and passed by themselves. */
  readonly repeated: readonly string[];
  /** The output, if it was not printed at once. */
  readonly output: string;
}

export interface RunOptions {
  /** Root of the repository, or of a copy of it. */
  readonly cwd: string;
  /** True to keep the output, and to leave the processors to others. */
  readonly isBeside: boolean;
}

/** Variables by which a suite would be shorter, longer or another one than its row says. */
const STEERING = /^(CHAOS|CLOUD|CREATED|CRON|DATABASE|IMPORT|INTEROP|TASK|TASKS|VERSIONS)_/;

const running = new Set<ChildProcess>();

/** Ends all suites that run, with all that they have started. */
export function endAll(): void {
  for (const child of running) endGroup(child);
}

/** Runs a suite to its end, and ends what it has left running. */
export async function runSuite(suite: Suite, options: RunOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'suite-'));
  const began = performance.now();
  const log = options.isBeside ? openSync(join(folder, 'output'), 'w') : undefined;
  const repeated: string[] = [];
  try {
    const run = (more: readonly string[] = []) => runCommand([suite.command, ...more].join(' '), options, log);
    const isGreen = suite.vitest ? await judge(run, options.cwd, join(folder, 'report.json'), repeated) : await run();
    const seconds = Math.round((performance.now() - began) / 1_000);
    const output = options.isBeside ? readFileSync(join(folder, 'output'), 'utf8') : '';
    return { suite, isGreen, seconds, repeated, output };
  } finally {
    if (log !== undefined) closeSync(log);
    rmSync(folder, { recursive: true });
  }
}

/** @returns true if the command has ended with 0 */
async function runCommand(command: string, { cwd, isBeside }: RunOptions, log?: number): Promise<boolean> {
  const out = log ?? 'inherit';
  const bash = ['-euo', 'pipefail', '-c', command];
  // A group of its own, so that nothing that it starts outlives it.
  const [program, args] = isBeside ? (['chrt', ['--idle', '0', 'bash', ...bash]] as const) : (['bash', bash] as const);
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !STEERING.test(name))),
    CI: 'true',
  };
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', out, out] });
  // It ends with this process, even if that is killed.
  const killer = guard('kill -s KILL -- "-$1"', String(child.pid));
  running.add(child);
  try {
    const [code]: unknown[] = await once(child, 'exit');
    return code === 0;
  } finally {
    running.delete(child);
    endGroup(child);
    killer.cancel();
  }
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** The part of vitest's report by which a run is judged. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs a suite of vitest, and once more what has failed if that is little. Skipped tests fail it. */
async function judge(
  run: (more: readonly string[]) => Promise<boolean>,
  cwd: string,
  file: string,
  repeated: string[],
): Promise<boolean> {
  const attempt = async (more: readonly string[]) => {
    rmSync(file, { force: true });
    const isGreen = await run(['--', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...more]);
    // The command may have failed before vitest began.
    return existsSync(file) ? failedFiles(isGreen, JSON.parse(readFileSync(file, 'utf8')), cwd) : undefined;
  };
  const failed = await attempt([]);
  if (failed === undefined || failed.length > MOST_FILES) return false;
  if (failed.length === 0) return true;
  console.log(`\n== once more, by themselves: ${failed.join(' ')}`);
  const again = await attempt([...failed, '--no-file-parallelism']);
  if (again?.length === 0) repeated.push(...failed);
  return again?.length === 0;
}

/** Undefined if the run has failed by something else than a file, or a test was skipped. */
function failedFiles(isGreen: boolean, report: Report, cwd: string): readonly string[] | undefined {
  const good = report.testResults.filter(({ status }) => status === 'passed');
  const bad = report.testResults.filter(({ status }) => status !== 'passed');
  // Tests behind a failed set-up count as skipped too. The second run judges them.
  const skipped = good
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'passed' && status !== 'failed');
  for (const test of skipped) console.error(`${test.status}: ${test.fullName}`);
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped.length} skipped`);
  if (skipped.length > 0 || (bad.length === 0 && (!isGreen || report.numPassedTests === 0))) return undefined;
  return bad.map(({ name }) => relative(cwd, name));
}
