// Runs worker processes over a real ensemble, breaks them at random, and judges the result: `npm run chaos`. Exits with
// 1 if our instances lost or doubled a run, or accepted a stale write.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Seeded } from '@test/support/seeded.js';
import { startEnsemble } from '@test/support/faults/index.js';
import { whyNoJava } from '@test/support/peers/java-build.js';
import type { Fault, Violation } from './check/index.js';
import { buildPrograms } from './programs.js';
import { type Column, report } from './report.js';
import { type ChaosResult, LARGEST_OFFSET_MS, runChaos, TICK_MS } from './run-chaos.js';
import { runRolling } from './run-rolling.js';
import type { WorkerKind } from './stage/workforce.js';

/** Shown violations of each kind. */
const SHOWN = 3;
/** Offsets of the clocks of ZooKeeper's servers. */
const MEMBER_OFFSETS_MS = [-5_000, 0, 5_000];
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    peer: { type: 'string' },
    rolling: { type: 'string', default: '10' },
    keep: { type: 'string' },
    clocks: { type: 'boolean', default: false },
    offset: { type: 'string', default: String(LARGEST_OFFSET_MS) },
    refusals: { type: 'boolean', default: false },
    hands: { type: 'boolean', default: false },
    slack: { type: 'string', default: '1000' },
  },
});
const withJava = values.peer === 'java';
const reason = withJava ? await whyNoJava() : undefined;
if (reason !== undefined) throw new Error(`The chaos with Java ${reason}.`);

console.info(`${values.minutes} minutes, seed ${values.seed}`);
const programs = await buildPrograms(withJava);
const ensemble = await startEnsemble(3, {
  settings: { tickTime: TICK_MS },
  ownClock: values.clocks,
  jvmFlags: values.refusals ? ['-Dzookeeper.enforceQuota=true'] : [],
});
try {
  const offsets = new Seeded(Number(values.seed)).shuffled(MEMBER_OFFSETS_MS);
  if (values.clocks) await Promise.all(ensemble.members.map(({ clock }, index) => clock!.set(offsets[index]!)));
  const columns = [await column('node', 'nestjs-elastic-job')];
  if (withJava) columns.push(await column('java', 'Java ElasticJob 3.0.4'));
  console.info(report(columns));
  process.exitCode = violationsOf(columns[0]!).length > 0 ? 1 : 0;
} finally {
  await ensemble.stop();
  await programs.remove();
}

function tellViolations(violations: readonly Violation[], chaos: ChaosResult): void {
  for (const rule of new Set(violations.map((violation) => violation.rule))) {
    for (const violation of violations.filter((each) => each.rule === rule).slice(0, SHOWN)) {
      const { job, item = '', at, text } = violation;
      console.error(`${rule}: ${job} ${item} at ${new Date(at).toISOString()}: ${text}\n${chaos.story(violation)}`);
    }
  }
}

/** A line of the journal of faults. */
function describe({ kind, victim, from, to }: Fault): string {
  const healed = to > from ? `, healed after ${to - from} ms` : '';
  return `${new Date(from).toISOString()} ${kind}${victim === undefined ? '' : ` of ${victim}`}${healed}`;
}

async function column(kind: WorkerKind, title: string): Promise<Column> {
  const given = { kind, programs, ensemble };
  const leavers = Number(values.rolling);
  const rolling = leavers > 0 ? await runRolling(given, leavers) : undefined;
  const startedAt = Date.now();
  const chaos = await runChaos({
    ...given,
    ms: Number(values.minutes) * 60_000,
    seed: Number(values.seed),
    slackMs: Number(values.slack),
    clocks: values.clocks && kind === 'node',
    offsetMs: Number(values.offset),
    refusals: values.refusals,
    hands: values.hands && kind === 'node',
    tell: (faults) =>
      console.info(`${title}: minute ${Math.round((Date.now() - startedAt) / 60_000)}, ${faults} faults so far`),
    ...(values.keep !== undefined && { keep: join(values.keep, kind) }),
  });
  for (const fault of chaos.history.faults) console.error(describe(fault));
  const made = { title, chaos, ...(rolling && { rolling }) };
  if (kind === 'node') tellViolations(violationsOf(made), chaos);
  return made;
}

function violationsOf({ chaos, rolling }: Column): readonly Violation[] {
  return [...(rolling?.violations ?? []), ...chaos.violations];
}
// Ends the process even if a failed worker has left something running.
process.exit();
