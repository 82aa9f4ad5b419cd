import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { watchStalls } from '@test/support/stalls.js';
import { type RemoteCenter, startRemoteCenter } from './remote-center.js';
import { EACH, LATENESS_MS, SOON, useStage } from './stage.js';

const SESSION_MS = 2_000;
const CLOSE_LIMIT_MS = SESSION_MS / 3;
const stage = useStage();

const remote = async (servers: string): Promise<RemoteCenter> => {
  const center = await stage().add(startRemoteCenter({ servers, sessionTimeoutMs: SESSION_MS }));
  await center.call('connect');
  return center;
};

describe('the process of a client', EACH, () => {
  it('D16: keeps a program alive that has nothing but a client, also when its session expires', async () => {
    const { server, proxy } = await stage().network();
    const program = await remote(proxy.connect);
    const { id } = await program.session('CONNECTED');
    await program.call('returnWith', '/back');
    program.send('letGo');
    proxy.refuse();
    proxy.cut();
    await server.untilExpired(id!, 10_000);
    await proxy.accept();
    await expect.poll(async () => [...(await server.sessions()).values()].flat(), SOON).toContain('/chaos/back');
  });

  it.each(['connected', 'cut off', 'in a black hole', 'without a session'])(
    'D11, D16: closes a client that is %s within its limit, and the process ends by itself',
    async (state) => {
      const { proxy } = await stage().network();
      const program = await remote(proxy.connect);
      if (state === 'in a black hole') proxy.blackhole('both');
      if (state === 'cut off' || state === 'without a session') {
        proxy.refuse();
        proxy.cut();
        await program.session(state === 'cut off' ? 'SUSPENDED' : 'LOST');
      }
      const stalledMs = watchStalls();
      const begun = performance.now();
      await program.call('close');
      expect(performance.now() - begun).toBeLessThan(CLOSE_LIMIT_MS + LATENESS_MS + stalledMs());
      program.send('letGo');
      expect(await program.ended).toEqual({ code: 0, signal: null });
      expect(performance.now() - begun).toBeLessThan(CLOSE_LIMIT_MS + 1_000 + stalledMs());
    },
  );

  it('D16: lets a program end that has made a client and never connected it', async () => {
    const program = await stage().add(startRemoteCenter({ servers: '127.0.0.1:1' }));
    program.send('letGo');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  it('D14: delivers all replies and events if listeners throw, and their errors surface', async () => {
    const server = await stage().server();
    const program = await remote(server.connect);
    await program.call('throwInListeners');
    const paths = Array.from({ length: 8 }, (_, n) => `/n${n}`);
    const created = paths.map((path) => program.call('create', path, '', 'EPHEMERAL'));
    expect(new Set(await Promise.all(created))).toEqual(new Set(paths));
    for (const _ of paths) expect(await program.uncaught()).toBe('a subtree listener failed');
    await server.restart();
    expect(await program.uncaught()).toBe('a session listener failed');
    await program.session('RECONNECTED');
    await program.call('create', '/later', '', 'EPHEMERAL');
  });
});

describe('SIGSTOP of a client', EACH, () => {
  it('reports SUSPENDED and LOST, with a lease of 0, first after a pause longer than the session', async () => {
    const { server, proxy } = await stage().network();
    const program = await remote(proxy.connect);
    const { id } = await program.session('CONNECTED');
    await program.call('create', '/mine', '', 'EPHEMERAL');
    // The server counts from the last message that it heard, maybe a little before the pause. The lease is over by
    // then.
    await program.call('watchForPause', 0.8 * SESSION_MS);
    await program.call('keepAsking');

    program.pause();
    await server.untilExpired(id!, 10_000);
    program.resume();
    await program.session('LOST');
    expect((await program.session('RECONNECTED')).id).not.toBe(id);
    const log = linesOf(await program.call('log'));
    const suspended = log.indexOf('SUSPENDED');
    const lost = log.indexOf('LOST');
    // Requests that the pause has interrupted end in between. Their answers no longer count.
    expect(log.slice(suspended, lost)).not.toContain('answer');
    expect(log.slice(lost)).toContain('SESSION_LOST');
    expect(log.filter((line) => line.startsWith('lease'))).toEqual(['lease 0']);
    expect(await program.call('create', '/mine', '', 'EPHEMERAL')).toBe('/mine');
  });

  it('keeps the session of a client that was stopped for a third of it', async () => {
    const { server, proxy } = await stage().network();
    const program = await remote(proxy.connect);
    const { id } = await program.session('CONNECTED');
    await program.call('create', '/mine', '', 'EPHEMERAL');
    program.pause();
    await delay(SESSION_MS / 3);
    program.resume();
    expect(await program.call('create', '/more', '', 'EPHEMERAL')).toBe('/more');
    expect((await server.sessions()).get(id!)?.toSorted()).toEqual(['/chaos/mine', '/chaos/more']);
    expect(linesOf(await program.call('log'))).not.toContain('LOST');
  });
});

function linesOf(log: unknown): readonly string[] {
  return Array.isArray(log) ? log.map(String) : [];
}
