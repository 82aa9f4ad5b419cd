import { describe, expect, it } from 'vitest';
import { startEnsemble } from '@test/support/faults/index.js';
import { SessionDiary } from './session-diary.js';
import { ENDURING_SESSION_MS, EACH, FULL, USABLE_WITHIN_MS, useStage } from './stage.js';
import { untilUsable } from './usable.js';

const RESTARTS = FULL ? 20 : 5;
const stage = useStage();

describe('D2: restarts', EACH, () => {
  it.each(['in order', 'by SIGKILL'])(
    'D2: makes 60 of 60 clients usable in 3/4 of a session, with their nodes, after a restart %s',
    async (how) => {
      const server = await stage().server();
      const clients = await stage().clients(60, { servers: server.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
      await Promise.all(clients.map((client, n) => client.create(`/n${n}`, '', 'EPHEMERAL')));
      const ids = clients.map(({ session }) => session.id);
      if (how === 'by SIGKILL') await server.kill();
      await server.restart();
      await untilUsable(clients, USABLE_WITHIN_MS);
      expect(clients.map(({ session }) => session.id)).toEqual(ids);
      const owned = await server.sessions();
      expect(ids.map((id) => owned.get(id!))).toEqual(clients.map((_, n) => [`/chaos/n${n}`]));
    },
  );

  it(
    `D2: makes writing clients usable after each of ${RESTARTS} restarts, and ends every promise`,
    { repeats: 0, timeout: 120_000 },
    async () => {
      const server = await stage().server();
      const clients = await stage().clients(3, { servers: server.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
      const diaries = clients.map((client) => new SessionDiary(client));
      for (let n = 0; n < RESTARTS; n += 1) {
        const writes = clients.map((client) => client.set('/', String(n)).catch(() => {}));
        if (n % 2 === 1) await server.kill();
        await server.restart();
        await untilUsable(clients, USABLE_WITHIN_MS);
        await Promise.all(writes);
      }
      for (const diary of diaries) expect(diary.states()).not.toContain('LOST');
    },
  );

  it('loses no session when the servers restart in turn, and 12 clients are usable in 3/4 of a session', async () => {
    const ensemble = await stage().add(startEnsemble(3, { settings: { tickTime: 200 } }));
    const clients = await stage().clients(12, { servers: ensemble.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
    const diaries = clients.map((client) => new SessionDiary(client));
    for (const member of ensemble.members) {
      await member.kill();
      await ensemble.untilServing();
      await untilUsable(clients, USABLE_WITHIN_MS);
      await member.launch();
      await ensemble.untilServing();
    }
    for (const diary of diaries) expect(diary.states()).not.toContain('LOST');
  });
});
