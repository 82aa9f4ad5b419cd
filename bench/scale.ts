// How far this package scales: lateness, processor time, requests, memory and starts of up to 10,000 jobs in a process,
// beside what is wanted of them (docs/performance.md). Each measured process is one of its own, over a real server.
import { measureTable, formatTable } from './scale/table.js';
import { LETTERS } from './scale/rows.js';
import { parseOptions, type ScaleOptions, USAGE, UsageError } from './scale/options.js';

async function run(options: ScaleOptions): Promise<number> {
  switch (options.mode) {
    case 'table': {
      const { judged, exitCode } = await measureTable(options);
      console.log(`medians of ${options.rounds} rounds, Node ${process.versions.node}`);
      console.log(formatTable(judged));
      if (exitCode === 1) console.error('A row falls short.');
      if (exitCode === 2) console.error('INVALID: the machine was too busy for bare writes. This is not a pass.');
      return exitCode;
    }
    case 'help':
      console.log(USAGE);
      return 0;
    case 'cluster':
    case 'growth':
    case 'plot':
      throw new UsageError('not yet');
    default:
      return options satisfies never;
  }
}

try {
  process.exitCode = await run(parseOptions(process.argv.slice(2), LETTERS));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 64;
}
