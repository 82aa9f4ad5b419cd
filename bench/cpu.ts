// Measures the CPU time of a trigger of one item, in this working tree and at another commit: 100 jobs due each second,
// one instance, empty handlers, failover and monitorExecution. Both trees run in processes of their own and take turns
// (this one, the other, the other, this one), so that disturbances of the machine meet both.
//
// npm run bench:cpu                                   memory registry, virtual clock, against HEAD~1
// npm run bench:cpu -- --zookeeper                    a real ZooKeeper as well, in real time
// npm run bench:cpu -- --against main --rounds 4      against another commit, in four rounds
// npm run bench:cpu -- --limit 250                    exits with 1 if this tree's median is above, in microseconds
// npm run bench:cpu -- --profile DIRECTORY            writes CPU profiles of this tree's processes; the figures mean
//                                                     nothing then, since sampling costs CPU, even at rest
import { parseArgs } from 'node:util';
import { startZooKeeperServer } from '@test/support/faults/index.js';
import { Contestant } from './cpu-contestant.js';
import { checkOut, WORKSPACE } from './cpu-trees.js';
import type { Window } from './cpu-trial.js';
import { median } from './views.js';

const { values: options } = parseArgs({
  options: {
    against: { type: 'string', default: 'HEAD~1' },
    rounds: { type: 'string', default: '6' },
    limit: { type: 'string', default: 'Infinity' },
    zookeeper: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const rounds = positive('rounds');
const limitUs = positive('limit');

const EACH_SECOND = '* * * * * ?';
// In real time the two trees have fixed parts of each 20 seconds: the outer ten are this tree's, the inner ten the
// other's.
const OUTER_SECONDS = '0-4,15-24,35-44,55-59 * * * * ?';
const INNER_SECONDS = '5-14,25-34,45-54 * * * * ?';
/** Code must be compiled before the measurement. */
const WARM_UP_WINDOWS = 5;

/** Microseconds per trigger of one round: this tree's and the other's. */
type Round = readonly [number, number];

// On a signal nothing may be left: exit handlers remove the other tree, and children end with their parent.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const trees = [WORKSPACE, await checkOut(options.against)] as const;
let isKept = print('memory', await inVirtualTime());
if (options.zookeeper) isKept = print('ZooKeeper', await inRealTime()) && isKept;
process.exitCode = isKept ? 0 : 1;

async function inVirtualTime(): Promise<readonly Round[]> {
  return withPair('memory', [EACH_SECOND, EACH_SECOND], async ([here, there]) => {
    const found: Round[] = [];
    for (const contestant of [here, there]) await contestant.measure(WARM_UP_WINDOWS);
    while (found.length < rounds) {
      progress(`memory: round ${found.length + 1} of ${rounds}`);
      const first = await here.measure(1);
      const theirs = await there.measure(2);
      found.push([perTrigger([...first, ...(await here.measure(1))]), perTrigger(theirs)]);
    }
    return found;
  });
}

async function inRealTime(): Promise<readonly Round[]> {
  // The disk is not measured.
  const server = await startZooKeeperServer({ jvmFlags: ['-Dzookeeper.forceSync=no'] });
  try {
    return await withPair(server.connect, [OUTER_SECONDS, INNER_SECONDS], async (pair) => {
      const windows = WARM_UP_WINDOWS + rounds;
      progress(`ZooKeeper: ${windows} rounds of 20 seconds, of which ${WARM_UP_WINDOWS} do not count`);
      const [ours, theirs] = await Promise.all([pair[0].measure(windows), pair[1].measure(windows)]);
      const each = ours.map((window, index): Round => [perTrigger([window]), perTrigger([theirs[index]!])]);
      return each.slice(WARM_UP_WINDOWS);
    });
  } finally {
    await server.stop();
  }
}

async function withPair<T>(
  registry: string,
  crons: readonly [string, string],
  work: (pair: readonly [Contestant, Contestant]) => Promise<T>,
): Promise<T> {
  const here = await Contestant.start({ tree: trees[0], registry, cron: crons[0], profile: options.profile });
  try {
    const there = await Contestant.start({ tree: trees[1], registry, cron: crons[1] });
    try {
      return await work([here, there]);
    } finally {
      await there.stop();
    }
  } finally {
    await here.stop();
  }
}

function perTrigger(windows: readonly Window[]): number {
  const triggers = windows.reduce((sum, window) => sum + window.triggers, 0);
  if (triggers === 0) throw new Error('A window has passed without a trigger.');
  return windows.reduce((sum, window) => sum + window.cpuUs, 0) / triggers;
}

/** @returns true if the limit is kept */
function print(registry: string, found: readonly Round[]): boolean {
  const ratios = found.map(([here, there]) => here / there);
  const [here, there] = [median(found.map(([us]) => us)), median(found.map(([, us]) => us))];
  const spread = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
  console.info(
    `${registry}: ${here.toFixed(0)} µs of CPU per trigger, ${there.toFixed(0)} µs at ${options.against}; ` +
      `ratio ${median(ratios).toFixed(3)}, ${spread} in ${found.length} rounds`,
  );
  if (here > limitUs) console.error(`${registry}: more than promised, ${limitUs} µs.`);
  return here <= limitUs;
}

function positive(name: 'rounds' | 'limit'): number {
  const value = Number(options[name]);
  if (!(value > 0)) throw new Error(`--${name} is ${JSON.stringify(options[name])}; give a number above 0.`);
  return value;
}

function progress(text: string): void {
  console.error(text);
}
