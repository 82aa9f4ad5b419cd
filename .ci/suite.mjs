// Runs a test suite of package.json, `node .ci/suite.mjs NAME FILE`, and fails if a test in it fails or is skipped. A
// file that fails runs once more by itself, since real servers on a shared machine are sometimes slower than any limit.
// Both verdicts are printed, and the file's name is added to FILE. A fault of the code fails twice, or in more than two
// files.
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const MOST_FILES = 2;

const [suite, repeated] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'suite-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

const failed = judge([]);
if (failed.length > MOST_FILES) process.exit(1);
if (failed.length > 0) {
  console.log(`\n== once more, by themselves: ${failed.join(' ')}`);
  appendFileSync(repeated, failed.map((file) => `${suite}: ${file}\n`).join(''));
  if (judge([...failed, '--no-file-parallelism']).length > 0) process.exit(1);
}

/** @returns the files that failed; ends the process if the failure is not that of a file, or if a test was skipped */
function judge(options) {
  const json = join(folder, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${json}`];
  rmSync(json, { force: true });
  const exit = spawnSync('npm', ['run', suite, '--', ...reporters, ...options], { stdio: 'inherit' });
  const report = JSON.parse(readFileSync(json, 'utf8'));
  const isSkipped = ({ status }) => status !== 'passed' && status !== 'failed';
  const good = report.testResults.filter(({ status }) => status === 'passed');
  const bad = report.testResults.filter(({ status }) => status !== 'passed');
  // Tests behind a failed set-up count as skipped too; the second run judges them.
  const skipped = good.flatMap((file) => file.assertionResults.filter(isSkipped));
  for (const test of skipped) console.error(`${test.status}: ${test.fullName}`);
  console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped.length} skipped`);
  if (skipped.length > 0 || (bad.length === 0 && (exit.status !== 0 || report.numPassedTests === 0))) process.exit(1);
  return bad.map(({ name }) => relative('.', name));
}
