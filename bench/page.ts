// Measures the page of the console in a real Chromium, over 10,000 jobs and a job of 1,000 items by 50 instances in a
// registry in memory. Ends with status 1 if it falls short of what is promised, and with 2 if it does so while others
// have the processors.
//
// npm run bench:page
// npm run bench:page -- --parts cold,map     some parts
// npm run bench:page -- --rounds 9           more rounds of each
// npm run bench:page -- --jobs 500           fewer jobs
import { parseArgs } from 'node:util';
import { type Finding, tellFindings } from './console/finding.js';
import { measureCold } from './page/cold.js';
import { measureFirstLoad } from './page/first-load.js';
import { measureMap } from './page/map.js';
import { measureScroll } from './page/scroll.js';
import { type Bench, withBench } from './page-support.js';

const PARTS: Readonly<Record<string, (bench: Bench) => Promise<readonly Finding[]>>> = {
  load: measureFirstLoad,
  cold: measureCold,
  scroll: measureScroll,
  map: measureMap,
};

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    parts: { type: 'string', default: Object.keys(PARTS).join() },
  },
});
const parts = values.parts.split(',').map((name) => {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`There is no part ${name}. Parts: ${Object.keys(PARTS).join(', ')}`);
  return part;
});
process.exitCode = await withBench(Number(values.jobs), Number(values.rounds), async (bench) => {
  const findings: Finding[] = [];
  for (const part of parts) findings.push(...(await part(bench)));
  if (tellFindings(findings)) return 0;
  if (!bench.machine.isBusy) return 1;
  console.log('Others have had the processors meanwhile: what falls short may not.');
  return 2;
});
