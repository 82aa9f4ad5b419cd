import { describe, expect, it } from 'vitest';
import { startEnsemble } from '../../support/faults/index.js';
import { SessionDiary } from './session-diary.js';
import { ENDURING_SESSION_MS, EACH, FULL, USABLE_WITHIN_MS, useStage } from './stage.js';
import { untilUsable } from './usable.js';

const RESTARTS = FULL ? 20 : 5;
const stage = useStage();

describe('D2: restarts', EACH, () => {
  it.each(['in order', 'by SIGKILL'])(
    'D2: given 60 clients, when their server is restarted %s, then 60 of 60 are usable within three quarters of a session, each in its session with its node',
    async (how) => {
      const server = await stage().server();
      const clients = await stage().clients(60, { servers: server.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
      await Promise.all(clients.map((client, n) => client.create(`/n${n}`, '', 'EPHEMERAL')));
      const ids = clients.map(({ session }) => session.id);
      if (how === 'by SIGKILL') await server.kill();
      await server.restart();
      const took = await Promise.all(clients.map((client) => untilUsable(client, USABLE_WITHIN_MS)));
      expect(Math.max(...took)).toBeLessThan(USABLE_WITHIN_MS);
      expect(clients.map(({ session }) => session.id)).toEqual(ids);
      const owned = await server.sessions();
      expect(ids.map((id) => owned.get(id!))).toEqual(clients.map((_, n) => [`/chaos/n${n}`]));
    },
  );

  it(
    `D2: given clients that write on and on, when their server is restarted ${RESTARTS} times, then they are usable each time, and every promise ends`,
    { repeats: 0, timeout: 120_000 },
    async () => {
      const server = await stage().server();
      const clients = await stage().clients(3, { servers: server.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
      const diaries = clients.map((client) => new SessionDiary(client));
      for (let n = 0; n < RESTARTS; n += 1) {
        const writes = clients.map((client) => client.set('/', String(n)).catch(() => {}));
        if (n % 2 === 1) await server.kill();
        await server.restart();
        await Promise.all(clients.map((client) => untilUsable(client, USABLE_WITHIN_MS)));
        await Promise.all(writes);
      }
      for (const diary of diaries) expect(diary.states()).not.toContain('LOST');
    },
  );

  it('given 12 clients of an ensemble, when each server in turn is restarted, then no session is lost, and all are usable within three quarters of a session', async () => {
    const ensemble = await stage().add(startEnsemble(3, { settings: { tickTime: 200 } }));
    const clients = await stage().clients(12, { servers: ensemble.connect, sessionTimeoutMs: ENDURING_SESSION_MS });
    const diaries = clients.map((client) => new SessionDiary(client));
    for (const member of ensemble.members) {
      await member.kill();
      await ensemble.untilServing();
      await Promise.all(clients.map((client) => untilUsable(client, USABLE_WITHIN_MS)));
      await member.launch();
      await ensemble.untilServing();
    }
    for (const diary of diaries) expect(diary.states()).not.toContain('LOST');
  });
});
