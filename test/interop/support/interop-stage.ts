import { OpenHandles, startFaultProxy, type TestServer } from '@test/support/faults/index.js';
import { JOB, type JobSpec } from './job-spec.js';
import { Journal } from '@test/support/peers/journal.js';
import { type JavaRelease, RELEASES } from '@test/support/peers/java-build.js';
import { JavaPeer, NodePeer, type Peer, type PeerKind } from './peer.js';
import { PeerProcess } from '@test/support/peers/peer-process.js';
import { TreeWitness } from '@test/support/peers/tree-witness.js';

/** Settings of a server that allow short sessions. */
export const SHORT_TICKS = { tickTime: 100 };
/** Session timeout of every peer, for which the items of a killed one wait. */
const SESSION_TIMEOUT_MS = 3_000;
/** Time in which all instances learn of the new schedule. */
const FIRE_AHEAD_MS = 3_000;
const JVM_FLAGS = [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:-UsePerfData',
  '-Xshare:auto',
  '-Xmx128m',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/** Programs of the peers, by kind. */
export interface PeerPrograms {
  /** The class path of the Java peer, by release of ElasticJob. */
  readonly java: Readonly<Record<string, string>>;
  /** The script of our peer. */
  readonly node: string;
}

/** The peers of one test around a real ZooKeeper, in a namespace of its own. */
export class InteropStage {
  readonly journal = new Journal();
  readonly #handles = new OpenHandles();
  readonly #peers: Peer[] = [];
  readonly #witnesses: TreeWitness[] = [];
  #addresses = 0;

  constructor(
    readonly server: TestServer,
    private readonly namespace: string,
    private readonly programs: PeerPrograms,
    private readonly release: JavaRelease = RELEASES[0]!,
  ) {}

  add: OpenHandles['add'] = (started) => this.#handles.add(started);

  /** Watches the tree of a job. */
  async witness(job = JOB): Promise<TreeWitness> {
    const { server, namespace, journal } = this;
    const opened = TreeWitness.open({ servers: server.connect, namespace, job, onChange: () => journal.nudge() });
    const witness = await this.add(opened);
    this.#witnesses.push(witness);
    return witness;
  }

  /** A process of Java's. It has no job yet. */
  async java(release = this.release): Promise<JavaPeer> {
    const command = ['java', ...JVM_FLAGS, '-cp', this.programs.java[release]!, 'peer.Main'];
    return this.#peer(JavaPeer, 'java', command);
  }

  /** A process of ours. It has no job yet. */
  async node(): Promise<NodePeer> {
    return this.#peer(NodePeer, 'node', ['node', '--enable-source-maps', this.programs.node]);
  }

  peer(kind: PeerKind): Promise<Peer> {
    return kind === 'java' ? this.java() : this.node();
  }

  /** Two peers, ready and without a job. */
  pair({ first, second }: { readonly first: PeerKind; readonly second: PeerKind }): Promise<readonly [Peer, Peer]> {
    return Promise.all([this.peer(first), this.peer(second)]);
  }

  /**
   * Starts a job of a short period on one peer after the other. Each has its items before the next one joins.
   * @param limitMs for each of them
   */
  async startInTurn(witness: TreeWitness, spec: JobSpec, peers: readonly Peer[], limitMs?: number): Promise<void> {
    for (const [index, peer] of peers.entries()) {
      const inJob = peers.slice(0, index + 1);
      await peer.start(spec);
      const isShared = () => witness.isSharedBy(inJob, spec.shardingTotalCount);
      const what = `the job is shared by ${inJob.map(({ name }) => name).join()}`;
      await this.journal.until(what, () => isShared() || witness.isPlannedFor(inJob), limitMs);
      if (isShared()) continue;
      // Among Java peers alone, a peer that joins while the leader reshards gets no items, and nothing repairs it
      // (fault 3).
      await witness.requestResharding();
      await this.journal.until(what, isShared, limitMs);
    }
  }

  /** Starts a job that rests on one peer after the other. The next trigger is then shared by all of them. */
  async startAtRest(witness: TreeWitness, spec: JobSpec, peers: readonly Peer[]): Promise<void> {
    for (const peer of peers) await peer.start(spec);
    await this.journal.until('the next trigger shares the job', () => witness.awaitsPlanFor(peers));
  }

  /** Runs the items of the job once, a moment from now, on all of its instances. */
  async fireOnce(console: JavaPeer, job = JOB): Promise<void> {
    // The first call connects, which would use up the time ahead.
    await console.console('JobConfigurationAPI', 'getJobConfiguration', job);
    await console.edit(job, { cron: onceAt(Date.now() + FIRE_AHEAD_MS) });
  }

  /** Ends every process and network. */
  async stop(): Promise<void> {
    await this.#handles.stopAll();
  }

  /** Last messages and output of the peers, and the trees, for a failed test. */
  story(): string {
    const trees = this.#witnesses.flatMap((witness) => witness.nodes().map(({ path, data }) => `${path} | ${data}`));
    const words = this.#peers.map(({ name, process }) => `--- ${name}\n${process.lastWords()}`);
    return [this.journal.tail(), '--- trees', ...trees, ...words].join('\n');
  }

  async #peer<T extends Peer>(
    Kind: new (...parts: ConstructorParameters<typeof Peer>) => T,
    kind: PeerKind,
    command: readonly string[],
  ): Promise<T> {
    // The number is taken first: peers that start together keep the order of their addresses.
    const number = (this.#addresses += 1);
    const ip = `10.0.0.${number}`;
    const network = await startFaultProxy(this.server.port);
    const given = [network.connect, this.namespace, String(SESSION_TIMEOUT_MS), ip];
    const process = new PeerProcess(`${kind}-${number}`, [...command, ...given], (event) => this.journal.add(event));
    const peer = await this.add(new Kind(kind, ip, process, network));
    this.#peers.push(peer);
    await process.untilReady();
    return peer;
  }
}

/** An expression that matches the next full second after that time, and then not for a year. */
function onceAt(time: number): string {
  const at = new Date(time + 1_000);
  return [at.getSeconds(), at.getMinutes(), at.getHours(), at.getDate(), at.getMonth() + 1, '?'].join(' ');
}
