// Covered by test/scenario/mixed-members.spec.ts
import { type JobContext, type JobNews, type Reaction, reactionIn } from '../leases/index.js';
import type { Duty } from './duty.js';

/** Keeps the node of this instance's server, which says that operators have enabled it. */
export class OwnServer implements Duty {
  private readonly keeping: Reaction;

  constructor(private readonly context: JobContext) {
    const { services, tree } = context;
    this.keeping = reactionIn(context, 'keeping the server node', () => services.servers.keep(tree));
  }

  start(): void {
    this.keeping.wake();
  }

  hear(news: JobNews): void {
    const isOwn = news.kind === 'ServerChanged' && news.serverIp === this.context.tree.self.serverIp;
    if (isOwn || news.kind === 'TreeReset') this.keeping.wake();
  }

  stop(): void {
    this.keeping.stop();
  }
}
