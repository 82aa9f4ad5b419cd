// Fails if the test report shows a test that did not run.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const tests = report.testResults.flatMap(({ assertionResults }) => assertionResults);
const left = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
for (const { fullName, status } of left) console.error(`${status}: ${fullName}`);
console.log(`${report.numPassedTests} passed, ${report.numFailedTests} failed, ${left.length} skipped`);
if (left.length > 0 || report.numPassedTests === 0) process.exit(1);
