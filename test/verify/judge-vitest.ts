import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Failed files of a suite that may run a second time. A fault of the code fails twice, or in more files. */
const MOST_FILES = 2;
const UNHANDLED_ERRORS = fileURLToPath(new URL('./unhandled-errors.mjs', import.meta.url));

/** Runs the command of a suite with more words at its end, and with more variables. @returns true if it ends with 0 */
type Run = (more: readonly string[], env: Readonly<Record<string, string>>) => Promise<boolean>;

interface JudgeOptions {
  readonly cwd: string;
  /** For the reports. */
  readonly folder: string;
  /** Takes the names of test files that failed first and passed by themselves. */
  readonly repeated: string[];
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

/**
 * Runs a suite of vitest, and once more by themselves what has failed, if that is little: real servers on a shared
 * machine are sometimes slower than any limit. A skipped test fails the suite, since it shows nothing.
 * @returns true if all tests have passed, in the first or the second run
 */
export async function judgeVitest(run: Run, { cwd, folder, repeated }: JudgeOptions): Promise<boolean> {
  const [report, errors] = [join(folder, 'report.json'), join(folder, 'unhandled-errors')];
  const reporters = ['--reporter=default', `--reporter=${UNHANDLED_ERRORS}`, '--reporter=json'];
  const attempt = async (files: readonly string[]) => {
    rmSync(report, { force: true });
    const isGreen = await run(['--', ...reporters, `--outputFile.json=${report}`, ...files], {
      UNHANDLED_ERRORS: errors,
    });
    // The command may have failed before vitest began.
    if (!existsSync(report) || existsSync(errors)) return undefined;
    return failedFiles(isGreen, JSON.parse(readFileSync(report, 'utf8')), cwd);
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
