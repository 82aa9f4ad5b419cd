import type { RegistryNode, RegistryTraffic, SubtreeListener, SubtreeOptions } from '../registry-center.js';
import type { RequestOptions, SyncOptions } from '../request-options.js';
import { Calm } from '../calm.js';
import { SharedSync } from '../shared-sync.js';
import type { MemoryServer } from './memory-server.js';
import { MemorySession, type MemorySessionOptions } from './memory-session.js';
import { MemorySubtree, type ViewingClient } from './memory-subtree.js';
import { localNodes } from './news.js';

/** Requests of one client to the server within its session. Answers come in the order of the link. */
export class MemoryClient implements ViewingClient {
  readonly session: MemorySession;
  readonly calm: Calm;
  private readonly sharedSync: SharedSync;
  readonly traffic: RegistryTraffic = { foreground: 0, background: 0 };

  constructor(
    private readonly server: MemoryServer,
    private readonly options: MemorySessionOptions,
    /** Sends the shared transactions that wait. */
    private readonly flush: () => void,
  ) {
    this.session = new MemorySession(server, options);
    const nothing = () => {};
    this.calm = new Calm(options.clock);
    const send = () => this.request('sync', nothing, nothing);
    const sender = { sessionId: () => this.session.info.id, send, flush };
    this.sharedSync = new SharedSync(sender, options.clock, this.calm);
  }

  /**
   * Sends a request if there is a connection: `ask` runs at the server, `receive` here with the answer.
   * @throws {RegistryUnavailableError}
   * @throws {SessionLostError} between LOST and the next session
   */
  async request<A, T>(
    operation: string,
    ask: (sessionId: string) => A,
    receive: (answer: A) => T,
    options?: RequestOptions,
  ): Promise<T> {
    options?.signal?.throwIfAborted();
    this.flush();
    this.session.checkClock();
    if (this.session.isAsking) await this.session.answered();
    const id = this.session.usableId(operation);
    this.traffic.foreground += 1;
    return this.session.requests.send(operation, () => this.server.serve(id, ask), receive, options);
  }

  /** News and replies share one link, in order: every commit before the request is heard before its reply. */
  sync(operation: string, options?: SyncOptions): Promise<void> {
    return this.sharedSync.sync(operation, options);
  }

  /**
   * Reads the nodes in the order of the paths; undefined for a path without a node.
   * @param take receives them in the order of the link
   */
  readNodes(
    operation: string,
    paths: readonly string[],
    options?: RequestOptions,
    take: (nodes: readonly (RegistryNode | undefined)[]) => void = () => {},
  ): Promise<readonly (RegistryNode | undefined)[]> {
    const absolutePaths = paths.map((path) => this.options.namespace.absolute(path));
    const ask = () => absolutePaths.map((path) => this.server.node(path));
    const receive = (found: readonly (RegistryNode | undefined)[]) => {
      const nodes = found.map((node, index) => node && { ...node, path: paths[index]! });
      take(nodes);
      return nodes;
    };
    return this.request(operation, ask, receive, options);
  }

  openSubtree(path: string, listener: SubtreeListener, options?: SubtreeOptions): Promise<MemorySubtree> {
    const absolutePath = this.options.namespace.absolute(path);
    const receive = (nodes: readonly RegistryNode[]) => {
      const view = new MemorySubtree(this, path, listener, options);
      view.replace(localNodes(nodes, this.options.namespace));
      this.session.views.add(view);
      return view;
    };
    return this.request(`open subtree ${path}`, () => this.server.subtree(absolutePath), receive, options);
  }

  release(view: MemorySubtree): void {
    this.session.views.delete(view);
  }
}
