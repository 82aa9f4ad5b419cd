import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { RegistryCenter } from '../../../libs/elastic-job/src/registry/index.js';
import { startEnsemble, startFaultProxy } from '@test/support/faults/index.js';
import { watchStalls } from '@test/support/stalls.js';
import { SessionDiary } from './session-diary.js';
import { EACH, LATENESS_MS, useStage } from './stage.js';

const TICK_MS = 300;
const CLIENTS = 10;
const EXPIRY_LIMIT_MS = 30_000;
const stage = useStage();

describe('the end of a session, on both sides', EACH, () => {
  it.each([3, 5, 10, 20])(
    'tells 10 clients in a black hole, with sessions of %d ticks, SUSPENDED at 2/3 and LOST before expiry',
    async (ticks) => {
      const sessionTimeoutMs = ticks * TICK_MS;
      const { server, proxy } = await stage().network({ settings: { tickTime: TICK_MS } });
      const clients = await staggered(proxy.connect, sessionTimeoutMs);
      const diaries = await diariesOf(clients);
      proxy.blackhole('both');
      const stalledMs = watchStalls();
      const begun = Date.now();
      await Promise.all(
        clients.map(async ({ session }, n) => {
          const expiredAt = await server.untilExpired(session.id!, EXPIRY_LIMIT_MS);
          const [suspended, lost] = diaries[n]!.entries;
          expect([suspended?.state, lost?.state]).toEqual(['SUSPENDED', 'LOST']);
          expect(suspended!.at - begun).toBeLessThan((2 / 3) * sessionTimeoutMs + LATENESS_MS + stalledMs());
          expect(lost!.at - stalledMs()).toBeLessThan(expiredAt);
        }),
      );
    },
  );

  it.each([
    [3, 'is killed'],
    [5, 'is killed'],
    [10, 'is killed'],
    [3, 'falls silent'],
    [5, 'falls silent'],
    [10, 'falls silent'],
  ] as const)(
    'tells 10 clients with sessions of %d ticks LOST before the leader expires them if a follower %s',
    async (ticks, how) => {
      const sessionTimeoutMs = ticks * TICK_MS;
      const settings = { tickTime: TICK_MS };
      const ensemble = await stage().add(startEnsemble(3, { settings }));
      const follower = await ensemble.follower();
      const proxy = await stage().add(startFaultProxy(follower.port));
      const clients = await staggered(proxy.connect, sessionTimeoutMs);

      const expiries = clients.map(({ session }) => ensemble.untilExpired(session.id!, EXPIRY_LIMIT_MS));
      const diaries = await diariesOf(clients);
      const stalledMs = watchStalls();
      if (how === 'is killed') await follower.kill();
      else follower.pause();
      for (const [n, diary] of diaries.entries()) {
        const expiredAt = await expiries[n]!;
        expect(diary.states()).toEqual(['SUSPENDED', 'LOST']);
        expect((await diary.first('LOST')).at - stalledMs()).toBeLessThan(expiredAt);
      }
    },
  );

  it('only shrinks the lease in a black hole, to 0 before the server expires the session', async () => {
    const sessionTimeoutMs = 5 * TICK_MS;
    const { server, proxy } = await stage().network({ settings: { tickTime: TICK_MS } });
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs, serverTickMs: TICK_MS });
    const { id } = client.session;
    const stalledMs = watchStalls();
    await client.read('/');
    expect(client.leaseRemainingMs()).toBeGreaterThan(0.6 * sessionTimeoutMs - stalledMs());
    expect(client.leaseRemainingMs()).toBeLessThanOrEqual(sessionTimeoutMs - TICK_MS);

    proxy.blackhole('both');
    void client.read('/').catch(() => {});
    let last = client.leaseRemainingMs();
    while (last > 0) {
      await delay(10);
      expect(client.leaseRemainingMs()).toBeLessThanOrEqual(last);
      last = client.leaseRemainingMs();
    }
    const endedAt = Date.now();
    expect(await server.untilExpired(id!, EXPIRY_LIMIT_MS)).toBeGreaterThan(endedAt - stalledMs());
  });
});

/** Clients with pings at different moments. */
async function staggered(servers: string, sessionTimeoutMs: number): Promise<readonly RegistryCenter[]> {
  const clients: RegistryCenter[] = [];
  for (let n = 0; n < CLIENTS; n += 1) {
    const client = await stage().client({ servers, sessionTimeoutMs, serverTickMs: TICK_MS });
    expect(client.session.timeoutMs).toBe(sessionTimeoutMs);
    clients.push(client);
    await delay(sessionTimeoutMs / 3 / CLIENTS);
  }
  return clients;
}

/** Begins when all clients have been answered. On a busy machine, so short a session may have been SUSPENDED before. */
async function diariesOf(clients: readonly RegistryCenter[]): Promise<readonly SessionDiary[]> {
  await Promise.all(clients.map((client) => client.read('/')));
  return clients.map((client) => new SessionDiary(client));
}
