// Measures the operations console over 10,000 jobs of 10 items, 440,000 nodes, in a real ZooKeeper: the index, its
// memory and watches, and 200 streams of the API; or how much later jobs run beside a console in their process. Ends
// with status 1 if it falls short of what is promised.
//
// npm run bench:console
// npm run bench:console -- --jobs 500     shorter
// npm run bench:console -- --pairs 6      1,000 jobs that are due each second, beside a console and without it
import { parseArgs } from 'node:util';
import { measureAlone } from './console/alone.js';
import { measureBesideJobs } from './console/beside-jobs.js';
import { tellFindings } from './console/finding.js';

const { values } = parseArgs({ options: { jobs: { type: 'string', default: '10000' }, pairs: { type: 'string' } } });
const jobs = Number(values.jobs);
const findings = await (values.pairs === undefined
  ? measureAlone(jobs)
  : measureBesideJobs(jobs, Number(values.pairs)));
process.exitCode = tellFindings(findings) ? 0 : 1;
