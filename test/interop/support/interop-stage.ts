import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, inject } from 'vitest';
import { OpenHandles, startFaultProxy, startZooKeeperServer, type TestServer } from '../../support/faults/index.js';
import { JOB } from './job-spec.js';
import { Journal } from './journal.js';
import { type JavaRelease, RELEASES } from './java-build.js';
import { JavaPeer, Peer, type PeerKind } from './peer.js';
import { PeerProcess } from './peer-process.js';
import { TreeWitness } from './tree-witness.js';

const NAMESPACE = 'interop';
/** Of every peer: what a killed one's items wait for. */
export const SESSION_TIMEOUT_MS = 3_000;
const HOOKS = new URL('../../support/faults/register-typescript.mjs', import.meta.url).href;
const FIXTURE = fileURLToPath(new URL('./node-peer.fixture.ts', import.meta.url));
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

/** One real ZooKeeper, the peers of one test around it, and a witness of the job's tree. */
export class InteropStage {
  readonly journal = new Journal();
  readonly #handles = new OpenHandles();
  readonly #peers: Peer[] = [];
  #addresses = 0;

  private constructor(
    readonly server: TestServer,
    private readonly release: JavaRelease,
  ) {}

  static async open(release: JavaRelease = RELEASES[0]!): Promise<InteropStage> {
    const stage = new InteropStage(await startZooKeeperServer({ settings: { tickTime: 100 } }), release);
    await stage.#handles.add(stage.server);
    return stage;
  }

  add: OpenHandles['add'] = (started) => this.#handles.add(started);

  /** Sees the tree of a job. */
  witness(job = JOB): Promise<TreeWitness> {
    const onChange = () => this.journal.nudge();
    return this.add(TreeWitness.open({ servers: this.server.connect, namespace: NAMESPACE, job, onChange }));
  }

  /** A process of Java's. It has no job yet. */
  async java(release = this.release): Promise<JavaPeer> {
    const command = ['java', ...JVM_FLAGS, '-cp', inject('javaPeers')[release]!, 'peer.Main'];
    return this.#peer(JavaPeer, 'java', command);
  }

  /** A process of ours. It has no job yet. */
  async node(): Promise<Peer> {
    return this.#peer(Peer, 'node', ['node', '--enable-source-maps', '--import', HOOKS, FIXTURE]);
  }

  peer(kind: PeerKind): Promise<Peer> {
    return kind === 'java' ? this.java() : this.node();
  }

  /** Started together, in the order given. */
  peers(...kinds: readonly PeerKind[]): Promise<readonly Peer[]> {
    return Promise.all(kinds.map((kind) => this.peer(kind)));
  }

  /** Ends every process, the networks and the server. */
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
    const given = [network.connect, NAMESPACE, String(SESSION_TIMEOUT_MS), ip];
    const process = new PeerProcess(`${kind}-${number}`, [...command, ...given], (event) => this.journal.add(event));
    const peer = await this.add(new Kind(kind, ip, process, network));
    this.#peers.push(peer);
    await process.untilReady();
    return peer;
  }
}

/** A stage for each test around the call. */
export function useInterop(release?: JavaRelease): () => InteropStage {
  let stage: InteropStage | undefined;
  beforeEach(async () => {
    stage = await InteropStage.open(release);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') console.error(stage?.story());
    await stage?.stop();
    stage = undefined;
  });
  return () => stage!;
}
