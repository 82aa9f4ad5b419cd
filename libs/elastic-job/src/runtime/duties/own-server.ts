// Covered by test/scenario/mixed-members.spec.ts
import { type Hearing, type JobContext, type Reaction, reactionIn } from '../leases/index.js';
import type { Duty } from './duty.js';

/** Keeps the node of this instance's server, which says that operators have enabled it. */
export class OwnServer implements Duty {
  readonly hears = {
    ServerChanged: ({ serverIp }) => {
      if (serverIp === this.context.tree.self.serverIp) this.keeping.wake();
    },
    TreeReset: () => this.keeping.wake(),
  } satisfies Hearing;
  private readonly keeping: Reaction;

  constructor(private readonly context: JobContext) {
    const { services, tree } = context;
    this.keeping = reactionIn(context, 'keeping the server node', () => services.servers.keep(tree));
  }

  start(): void {
    this.keeping.wake();
  }

  stop(): void {
    this.keeping.stop();
  }
}
