/**
 * Measures how long an item rests when its instance dies, and when it leaves: with processes of ours over a real
 * server, with short ticks and with those of a default installation. Prints percentiles beside the promised limits;
 * ends with status 1 if one is broken.
 */
import Table from 'cli-table3';
import { Crew, type HandOver } from './failover-crew.js';
import { buildPrograms } from '../test/chaos/cluster/programs.js';
import { percentile } from '../test/chaos/cluster/report.js';
import { startZooKeeperServer } from '@test/support/faults/index.js';

const CRASHES = Number(process.env['BENCH_CRASHES'] ?? 100);
const AT_ONCE = 5;
const FROM_KILL_SLACK_MS = 300;
const FROM_DELETION_LIMIT_MS = 200;
const HAND_OVER_LIMIT_MS = 500;
const SETTINGS = [
  { tickMs: 300, sessionTimeoutMs: 3_000 },
  { tickMs: 2_000, sessionTimeoutMs: 4_000 },
];

interface Row {
  readonly what: string;
  readonly limitMs: number;
  readonly samples: readonly number[];
}

const programs = await buildPrograms(false);
const table = new Table({
  head: ['', 'samples', 'p50', 'p90', 'p99', 'limit of p99', ''],
  colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'left'],
  style: { head: [], border: [], compact: true },
});
try {
  for (const setting of SETTINGS) {
    for (const { what, limitMs, samples } of await measure(setting)) {
      const [p50, p90, p99] = [0.5, 0.9, 0.99].map((share) => percentile(samples, share));
      const isKept = Number(p99) <= limitMs;
      table.push([what, samples.length, p50, p90, p99, limitMs, isKept ? 'kept' : 'BROKEN']);
      if (!isKept) process.exitCode = 1;
    }
  }
  console.log(`milliseconds, over ${CRASHES} crashes and ${CRASHES} departures each`);
  console.log(table.toString());
} finally {
  await programs.remove();
}

async function measure(setting: (typeof SETTINGS)[number]): Promise<readonly Row[]> {
  const { tickMs, sessionTimeoutMs } = setting;
  const server = await startZooKeeperServer({ settings: { tickTime: tickMs } });
  const name = `tickTime ${tickMs}, session ${sessionTimeoutMs}`;
  const crew = await Crew.start({ ...setting, server, programs, victims: AT_ONCE });
  try {
    for (let crashes = 0; crashes < CRASHES; crashes += AT_ONCE) {
      console.error(`${name}: ${crashes} of ${CRASHES} crashes`);
      await crew.crash();
    }
    const crashes = await crew.rescues();
    const departures: HandOver[] = [];
    for (let n = 0; n < CRASHES; n += 1) departures.push(await crew.depart());
    const limitMs = sessionTimeoutMs + tickMs + FROM_KILL_SLACK_MS;
    return [
      { what: `${name}: SIGKILL to begin`, limitMs, samples: crashes.map(({ fromKillMs }) => fromKillMs) },
      { what: '  SIGKILL to deletion as seen', limitMs, samples: crashes.map((each) => each.toDeletionMs) },
      {
        what: '  deletion as seen to begin',
        limitMs: FROM_DELETION_LIMIT_MS,
        samples: crashes.map((each) => each.fromDeletionMs),
      },
      {
        what: '  drain to committed assignment',
        limitMs: HAND_OVER_LIMIT_MS,
        samples: departures.map(({ committedMs }) => committedMs),
      },
      {
        what: '  drain to start of what is due meanwhile',
        limitMs: HAND_OVER_LIMIT_MS,
        samples: departures.flatMap(({ startedMs }) => startedMs),
      },
    ];
  } finally {
    await crew.stop();
    await server.stop();
  }
}
