import { createServer, type IncomingMessage, type Server } from 'node:http';
import { listen } from '@test/support/zookeeper/loopback.js';
import type { Step } from './import-plan.js';

/** State that all processes share and no kill reaches, behind a server as a database is. */
export class ImportStore {
  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {}

  /** @param take decides if the step is accepted; the process waits for the answer */
  static async start(take: (step: Step) => Promise<boolean>): Promise<ImportStore> {
    const server = createServer((request, response) => {
      void read(request)
        .then(take)
        .then(
          (isAccepted) => response.writeHead(isAccepted ? 204 : 409).end(),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
    });
    // Keeps the connection of a process open that did not get the processor for a while.
    server.keepAliveTimeout = 0;
    server.requestTimeout = 0;
    return new ImportStore(server, await listen(server));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function read(request: IncomingMessage): Promise<Step> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}
