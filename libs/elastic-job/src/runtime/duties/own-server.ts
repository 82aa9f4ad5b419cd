import { type JobContext, SessionReaction } from '../leases/index.js';
import type { Duty, News } from './duty.js';

/** Keeps the node of this instance's server, which records that operators have enabled it. */
export class OwnServer implements Duty {
  private readonly keeping: SessionReaction;

  constructor(private readonly context: JobContext) {
    const { services, tree } = context;
    this.keeping = new SessionReaction(context, 'keeping the server node', () => services.servers.keep(tree));
  }

  ServerChanged({ serverIp }: News<'ServerChanged'>): void {
    if (serverIp === this.context.tree.self.serverIp) this.keeping.wake();
  }

  TreeReset(): void {
    this.keeping.wake();
  }

  start(): void {
    this.keeping.wake();
  }

  stop(): void {
    this.keeping.stop();
  }
}
