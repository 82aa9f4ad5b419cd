/**
 * Compares this package's ZooKeeper client with the one whose codec it uses, on a real server. Ends with status 1 if it
 * is slower than promised.
 */
import { startZooKeeperServer } from '@test/support/faults/index.js';
import { startCenter, startStock } from './contestants.js';
import { compare, OPERATIONS, type Results } from './throughput.js';
import { median, timeTree, timeWatches, TREE_NODES, WATCHED_PATHS } from './views.js';

const ROUNDS = 7;
const LEAST_MEDIAN = 0.9;
const LEAST_ROUND = 0.7;
const TREE_LIMIT_MS = 100;

/** A promise, and whether it was kept. */
interface Finding {
  readonly text: string;
  readonly kept: boolean;
}

// The disk is not measured.
const server = await startZooKeeperServer({ jvmFlags: ['-Dzookeeper.forceSync=no', '-Xmx1g'] });
try {
  const findings = [...(await throughput()), ...(await views())];
  for (const { text, kept } of findings) console.log(`${kept ? 'kept  ' : 'BROKEN'}  ${text}`);
  process.exitCode = findings.every(({ kept }) => kept) ? 0 : 1;
} finally {
  await server.stop();
}

async function throughput(): Promise<readonly Finding[]> {
  const contestants = [await startCenter(server.connect), await startStock(server.connect)] as const;
  const results = await compare(contestants, ROUNDS);
  for (const contestant of contestants) await contestant.close();
  print(results);
  return OPERATIONS.map((operation) => {
    const ratios = ratiosOf(results, operation);
    const [middle, least] = [median(ratios), Math.min(...ratios)];
    return {
      text:
        `${operation}: median ${middle.toFixed(2)} of stock (at least ${LEAST_MEDIAN}), ` +
        `least ${least.toFixed(2)} (${LEAST_ROUND})`,
      kept: middle >= LEAST_MEDIAN && least >= LEAST_ROUND,
    };
  });
}

async function views(): Promise<readonly Finding[]> {
  const { opened, rebuilt } = await timeTree(server);
  const { tookMs, connections, sessionKept } = await timeWatches(server);
  return [
    {
      text:
        `a view of ${TREE_NODES} nodes with values: opened in ${opened.toFixed(0)} ms, ` +
        `rebuilt after a reconnect in ${rebuilt.toFixed(0)} ms (below ${TREE_LIMIT_MS})`,
      kept: opened < TREE_LIMIT_MS && rebuilt < TREE_LIMIT_MS,
    },
    {
      text:
        `${WATCHED_PATHS} watched long paths: all in place ${tookMs.toFixed(0)} ms after a cut, ` +
        `with ${connections} reconnect`,
      kept: connections === 1 && sessionKept,
    },
  ];
}

function print(results: Results): void {
  console.log('requests per second, 100 outstanding: center / stock = ratio, round by round');
  for (const operation of OPERATIONS) {
    const ratios = ratiosOf(results, operation);
    const cells = results[operation].map(
      ([center, stock], round) => `${thousands(center)}/${thousands(stock)}=${ratios[round]!.toFixed(2)}`,
    );
    console.log(`${operation.padEnd(12)} ${cells.join('  ')}`);
  }
}

function ratiosOf(results: Results, operation: keyof Results): readonly number[] {
  return results[operation].map(([center, stock]) => center / stock);
}

function thousands(rate: number): string {
  return `${(rate / 1_000).toFixed(1)}k`;
}
