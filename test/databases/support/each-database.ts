import type { Kysely } from 'kysely';
import { afterAll, beforeAll, describe } from 'vitest';
import { KINDS, type OpenedServer, serverOf } from './kinds.js';

/**
 * Describes what holds over each database, if a server of it can be started here or a variable names one.
 * @param specs gets a function that makes one more client of the server, for tests and hooks
 */
export function describeEachDatabase(specs: (name: string, client: () => Kysely<unknown>) => void): void {
  for (const kind of KINDS) {
    const { name, lack, variable, client } = kind;
    const why = process.env[variable] ? undefined : lack;
    describe.skipIf(why)(`${name}${why ?? ', a real server'}`, () => {
      let server: OpenedServer;

      beforeAll(async () => {
        server = await serverOf(kind);
      });
      afterAll(() => server?.remove());

      specs(name, () => client(server.url));
    });
  }
}
