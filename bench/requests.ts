// Counts the requests of a trigger for each instance of a job, by a proxy before each of them: four of ours, four of
// Java's, and two of each, on one server. Exits with 1 if ours needs more than it promises.
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import { InteropStage, SHORT_TICKS } from '../test/interop/support/interop-stage.js';
import { javaPeerClassPath, RELEASES, whyNoJava } from '@test/support/peers/java-build.js';
import { jobSpec } from '../test/interop/support/job-spec.js';
import type { Peer, PeerKind } from '../test/interop/support/peer.js';
import { bundle } from '@test/support/bundle/bundle.js';
import { startZooKeeperServer } from '@test/support/faults/index.js';

const ITEMS = 400;
const INSTANCES = 4;
const OWN_ITEMS = ITEMS / INSTANCES;
const ROUNDS = 3;
// Java runs all items of an instance once more if a trigger is a millisecond late (fault 15), which must not be
// measured.
const SPEC = jobSpec({ cron: '0/15 * * * * ?', shardingTotalCount: ITEMS, misfire: false });
const CALM_MS = 1_500;
const ROUND_LIMIT_MS = 60_000;
const START_LIMIT_MS = 90_000;
const MOST_FOREGROUND = 3;
/** Most additional requests of each Java peer for the records of ours, spread over all items of the job. */
const MOST_EXTRA = 2;

/** Average requests of one instance for a trigger. */
interface Cost {
  readonly kind: PeerKind;
  readonly requests: number;
  /** For ours: as the client counts them. */
  readonly foreground?: number;
  readonly background?: number;
}

interface Counts {
  readonly requests: number;
  readonly foreground: number;
  readonly background: number;
}

const reason = await whyNoJava();
if (reason !== undefined) {
  console.error(`The bench ${reason}.`);
  process.exit(1);
}
const release = RELEASES[0]!;
const script = await bundle({ peer: 'test/interop/support/node-peer.fixture.ts' });
const programs = {
  java: { [release]: await javaPeerClassPath(release) },
  node: fileURLToPath(script.url('peer')),
};
const server = await startZooKeeperServer({ settings: SHORT_TICKS });
try {
  const clusters = {
    '4 Node': await measure('node', ['node', 'node', 'node', 'node']),
    '4 Java': await measure('java', ['java', 'java', 'java', 'java']),
    '2 Java + 2 Node': await measure('mixed', ['java', 'java', 'node', 'node']),
  };
  print(clusters);
  judge(clusters['4 Node'], clusters['4 Java'], clusters['2 Java + 2 Node']);
} finally {
  await server.stop();
  await script.remove();
}

async function measure(namespace: string, kinds: readonly PeerKind[]): Promise<readonly Cost[]> {
  console.info(`${namespace}: ${kinds.join(', ')} ...`);
  const stage = new InteropStage(server, namespace, programs, release);
  try {
    const witness = await stage.witness();
    const peers: Peer[] = [];
    for (const kind of kinds) peers.push(await stage.peer(kind));
    await stage.startInTurn(witness, SPEC, peers, START_LIMIT_MS);
    await round(stage); // The first trigger after a change of owners is not steady state.
    await calm(peers);

    const before = await Promise.all(peers.map((peer) => counts(peer)));
    for (let each = 0; each < ROUNDS; each++) await round(stage);
    await calm(peers);
    const after = await Promise.all(peers.map((peer) => counts(peer)));
    return peers.map(({ kind }, index) => cost(kind, before[index]!, after[index]!));
  } finally {
    await stage.stop();
  }
}

/** Waits for the next trigger, until every item has ended. */
async function round({ journal }: InteropStage): Promise<void> {
  const since = journal.mark;
  const ended = () => journal.events.slice(since).filter(({ event }) => event === 'ended').length >= ITEMS;
  await journal.until('all items have ended', ended, ROUND_LIMIT_MS);
}

/** Resolves when no peer has sent anything for a while. Silence has no event, so this waits in real time. */
async function calm(peers: readonly Peer[]): Promise<void> {
  const sent = () => peers.reduce((sum, { network }) => sum + network.counters.requests, 0);
  for (let before = -1; before !== sent();) {
    before = sent();
    await new Promise((resolve) => setTimeout(resolve, CALM_MS));
  }
}

async function counts(peer: Peer): Promise<Counts> {
  const { requests } = peer.network.counters;
  return { requests, ...(await peer.traffic()) };
}

function cost(kind: PeerKind, before: Counts, after: Counts): Cost {
  const perRound = (name: keyof Counts) => (after[name] - before[name]) / ROUNDS;
  const requests = perRound('requests');
  if (kind === 'java') return { kind, requests };
  return { kind, requests, foreground: perRound('foreground'), background: perRound('background') };
}

function print(clusters: Readonly<Record<string, readonly Cost[]>>): void {
  const table = new Table({
    head: ['cluster', 'instance', 'requests per trigger', 'foreground', 'background'],
    colAligns: ['left', 'left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const [name, costs] of Object.entries(clusters)) {
    for (const { kind, requests, foreground, background } of costs) {
      table.push([name, kind, ...[requests, foreground, background].map((each) => each?.toFixed(1) ?? '')]);
    }
  }
  console.info(`T = ${ITEMS} items, k = ${OWN_ITEMS} of each instance, ${ROUNDS} triggers, ElasticJob ${release}`);
  console.info(table.toString());
}

function judge(node: readonly Cost[], java: readonly Cost[], mixed: readonly Cost[]): void {
  const ours = [...node, ...mixed].filter(({ kind }) => kind === 'node');
  const alone = Math.max(...java.map(({ requests }) => requests));
  const beside = Math.max(...mixed.filter(({ kind }) => kind === 'java').map(({ requests }) => requests));
  const extra = (beside - alone) / ITEMS;
  console.info(`Java pays ${extra.toFixed(2)} requests more per item of the job beside ours.`);
  const isKept =
    ours.every(({ foreground = 0, background = 0 }) => foreground <= MOST_FOREGROUND && background === 0) &&
    extra <= MOST_EXTRA;
  if (!isKept)
    console.error(`More than promised: ${MOST_FOREGROUND} foreground, 0 background, ${MOST_EXTRA} per item of Java's.`);
  process.exitCode = isKept ? 0 : 1;
}
