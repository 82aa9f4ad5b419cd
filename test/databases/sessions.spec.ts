import { afterAll, beforeAll, describe } from 'vitest';
import { describeSessionsContract } from '../contract/sessions/sessions.contract.js';
import { sqlSessions } from '../contract/sessions/sql-sessions.js';
import { KINDS, type OpenedServer, serverOf } from './support/kinds.js';

for (const kind of KINDS) {
  const { name, lack, variable, client } = kind;
  const why = process.env[variable] ? undefined : lack;
  describe.skipIf(why)(`${name}${why ?? ', a real server'}`, () => {
    let server: OpenedServer;

    beforeAll(async () => {
      server = await serverOf(kind);
    });
    afterAll(() => server?.remove());

    describeSessionsContract(name, () => sqlSessions(() => client(server.url)));
  });
}
