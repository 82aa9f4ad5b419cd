// Measures how long a change in the registry takes to the pixel: a real ZooKeeper, the console as `npm start` starts
// it, a real Chromium, and another client of the registry that makes the changes. Ends with 1 if it falls short.
//
// npm run bench:page:pace
// npm run bench:page:pace -- --jobs 10000 --changes 20     more jobs, and more changes of each view
import { parseArgs } from 'node:util';
import { measurePace } from './page/pace.js';

const MOST_MS = 500;

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '1000' }, changes: { type: 'string', default: '12' } },
});
const paces = await measurePace(Number(values.jobs), Number(values.changes));
console.log(`From the acknowledged write to the changed pixel, ${values.jobs} jobs of 10 items, in milliseconds:`);
for (const { max, p50, p95, view } of paces) {
  const verdict = p95 <= MOST_MS ? 'kept  ' : 'BROKEN';
  console.log(`${verdict}  ${view}: p50 ${p50}, p95 ${p95} (at most ${MOST_MS}), max ${max}`);
}
process.exitCode = paces.every(({ p95 }) => p95 <= MOST_MS) ? 0 : 1;
