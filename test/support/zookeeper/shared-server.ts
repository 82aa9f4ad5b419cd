import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Port at which the process of global-setup.ts answers with the server list of its ZooKeeper. */
    sharedZooKeeper: number;
  }
}

/**
 * The server list of the real ZooKeeper of this run. It is started for the first spec that asks.
 * @throws one sentence that names the remedy, if there is no way to get a server
 */
export async function sharedZooKeeper(): Promise<string> {
  const answer = await text(connect(inject('sharedZooKeeper'), '127.0.0.1'));
  const { servers, reason }: { readonly servers?: string; readonly reason?: string } = JSON.parse(answer);
  if (servers === undefined) throw new Error(reason);
  return servers;
}
