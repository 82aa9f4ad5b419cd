// Measures how far this package scales: lateness, processor time, requests, memory and starts of up to 10,000 jobs in a
// process, compared with the wanted values (docs/performance.md). Each measured process is separate, over a real
// server.
import { availableParallelism } from 'node:os';
import { describeCluster, isClusterKept } from './scale/cluster/report.js';
import { runCluster } from './scale/cluster/run-cluster.js';
import { measureTable, formatTable } from './scale/table.js';
import { LETTERS } from './scale/rows.js';
import { writeGrowth, writePlots, writeTable } from './scale/documents.js';
import { measureGrowth } from './scale/plots/growth.js';
import { parseOptions, type ScaleOptions, USAGE, UsageError } from './scale/options.js';

async function run(options: ScaleOptions): Promise<number> {
  switch (options.mode) {
    case 'table': {
      const { judged, exitCode } = await measureTable(options);
      const note = describeRun(options.rounds);
      console.log(`${note}\n${formatTable(judged)}`);
      if (exitCode === 1) console.error('A row falls short.');
      if (exitCode === 2) console.error('INVALID: the machine was too busy or slow for a row. This is not a pass.');
      if (options.writesDocs && exitCode !== 2) await writeTable(judged, note);
      return exitCode;
    }
    case 'help':
      console.log(USAGE);
      return 0;
    case 'cluster': {
      const result = await runCluster(options);
      console.log(describeCluster(result));
      return isClusterKept(result) ? 0 : 1;
    }
    case 'growth':
      await writeGrowth(await measureGrowth());
      return 0;
    case 'plot':
      console.log(`${await writePlots()} plots are drawn.`);
      return 0;
    default:
      return options satisfies never;
  }
}

function describeRun(rounds: number): string {
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores`;
  return `Medians of ${rounds} rounds or more, ${new Date().toISOString().slice(0, 10)}, ${machine}`;
}

try {
  process.exitCode = await run(parseOptions(process.argv.slice(2), LETTERS));
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 64;
}
