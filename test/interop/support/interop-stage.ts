import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { OpenHandles, startFaultProxy, startZooKeeperServer, type TestServer } from '../../support/faults/index.js';
import { JOB } from './job-spec.js';
import { Journal } from './journal.js';
import { type JavaRelease, RELEASES } from './java-build.js';
import { JavaPeer, NodePeer, type Peer, type PeerKind } from './peer.js';
import { PeerProcess } from './peer-process.js';
import { TreeWitness } from './tree-witness.js';

/** Of every peer: what a killed one's items wait for. */
export const SESSION_TIMEOUT_MS = 3_000;
/** Time for everybody to hear of the new schedule. */
const FIRE_AHEAD_MS = 3_000;
const JVM_FLAGS = [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-XX:-UsePerfData',
  '-Xshare:auto',
  '-Xmx128m',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

/** Why the suite cannot run on this machine; undefined if it can. */
export const whyNot = (): string | undefined => inject('whyNoJava');

/** The peers of one test around a real ZooKeeper, in a namespace of its own. */
export class InteropStage {
  readonly journal = new Journal();
  readonly #handles = new OpenHandles();
  readonly #peers: Peer[] = [];
  #addresses = 0;

  constructor(
    readonly server: TestServer,
    private readonly namespace: string,
    private readonly release: JavaRelease = RELEASES[0]!,
  ) {}

  add: OpenHandles['add'] = (started) => this.#handles.add(started);

  /** Sees the tree of a job. */
  witness(job = JOB): Promise<TreeWitness> {
    const onChange = () => this.journal.nudge();
    return this.add(TreeWitness.open({ servers: this.server.connect, namespace: this.namespace, job, onChange }));
  }

  /** A process of Java's. It has no job yet. */
  async java(release = this.release): Promise<JavaPeer> {
    const command = ['java', ...JVM_FLAGS, '-cp', inject('javaPeers')[release]!, 'peer.Main'];
    return this.#peer(JavaPeer, 'java', command);
  }

  /** A process of ours. It has no job yet. */
  async node(): Promise<NodePeer> {
    return this.#peer(NodePeer, 'node', ['node', '--enable-source-maps', inject('nodePeer')]);
  }

  peer(kind: PeerKind): Promise<Peer> {
    return kind === 'java' ? this.java() : this.node();
  }

  /** Two peers, ready and without a job. */
  pair({ first, second }: { readonly first: PeerKind; readonly second: PeerKind }): Promise<readonly [Peer, Peer]> {
    return Promise.all([this.peer(first), this.peer(second)]);
  }

  /** The items of the job run once, a moment from now, on all of its instances. */
  async fireOnce(console: JavaPeer, job = JOB): Promise<void> {
    await console.edit(job, { cron: onceAt(Date.now() + FIRE_AHEAD_MS) });
  }

  /** Ends every process and network. */
  async stop(): Promise<void> {
    await this.#handles.stopAll();
  }

  /** What the peers have told and said last, for a failed test. */
  story(): string {
    const words = this.#peers.map(({ name, process }) => `--- ${name}\n${process.lastWords()}`);
    return [this.journal.tail(), ...words].join('\n');
  }

  async #peer<T extends Peer>(
    Kind: new (...parts: ConstructorParameters<typeof Peer>) => T,
    kind: PeerKind,
    command: readonly string[],
  ): Promise<T> {
    // Counted first: peers that start together keep the order of their addresses.
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

/** A stage for each test around the call, and one server for all of them. */
export function useInterop(release?: JavaRelease): () => InteropStage {
  let server: TestServer | undefined;
  let stage: InteropStage | undefined;
  let tests = 0;
  beforeAll(async () => {
    server = await startZooKeeperServer({ settings: { tickTime: 100 } });
  });
  beforeEach(() => {
    stage = new InteropStage(server!, `interop-${(tests += 1)}`, release);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(stage?.story());
    await stage?.stop();
  });
  afterAll(() => server?.stop());
  return () => stage!;
}
