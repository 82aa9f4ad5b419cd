import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SessionDiary } from './session-diary.js';
import { EACH, SOON, useStage } from './stage.js';

const stage = useStage();

describe('D8: very many watches', EACH, () => {
  const COUNT = 10_000;
  const AT_ONCE = 500;
  const paths = Array.from({ length: COUNT }, (_, n) => `/${String(n).padStart(150, 'long-')}`);

  it('D8: restores 10,000 watches with 150-character paths in one reconnect, and all of them fire', async () => {
    const { server, proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: 10_000 });
    const writer = await stage().client({ servers: server.connect, sessionTimeoutMs: 10_000 });
    const repaired = new Set<string>();
    const created = new Set<string>();
    for (const some of batches(paths)) {
      const opened = some.map((path) =>
        client.openSubtree(path, ({ kind }) => {
          if (kind === 'reset') repaired.add(path);
          if (kind === 'created') created.add(path);
        }),
      );
      await Promise.all(opened);
    }

    const diary = new SessionDiary(client);
    const before = proxy.counters;
    proxy.cut();
    await diary.first('RECONNECTED');
    await expect.poll(() => repaired.size, SOON).toBe(COUNT);
    const { connections, bytesToServer } = proxy.counters;
    expect(connections - before.connections).toBe(1);
    // The paths are sent three times: to be watched, and to have their values and children read again.
    expect(bytesToServer - before.bytesToServer).toBeLessThan(3 * COUNT * 200);

    for (const some of batches(paths)) {
      await writer.transaction(some.map((path) => ({ kind: 'create', path, data: '', mode: 'PERSISTENT' })));
    }
    await expect.poll(() => created.size, SOON).toBe(COUNT);
    expect(diary.states()).toEqual(['SUSPENDED', 'RECONNECTED']);
  });

  function batches(all: readonly string[]): readonly (readonly string[])[] {
    return Array.from({ length: all.length / AT_ONCE }, (_, n) => all.slice(n * AT_ONCE, (n + 1) * AT_ONCE));
  }
});

describe('a watch of the names of children', EACH, () => {
  it('reports a broken connection once in a watch of child names, and goes on within the session', async () => {
    const { server, proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: 10_000 });
    const writer = await stage().client({ servers: server.connect, sessionTimeoutMs: 10_000 });
    await writer.ensurePath('/job');
    let heard = 0;
    await client.watchChildren('/job', () => (heard += 1));

    const diary = new SessionDiary(client);
    proxy.cut();
    await diary.first('RECONNECTED');
    await client.exists('/job');
    expect(heard).toBe(1);
    await writer.create('/job/a', '', 'PERSISTENT');
    await expect.poll(() => heard, SOON).toBe(2);
    expect(diary.states()).toEqual(['SUSPENDED', 'RECONNECTED']);
  });
});

describe('D9: notifications only', EACH, () => {
  it('D9: keeps the session of a client that only receives events, and asks for nothing', async () => {
    const SESSION_MS = 2_000;
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect, sessionTimeoutMs: SESSION_MS });
    const writer = await stage().client({ servers: server.connect });
    await writer.create('/watched', '', 'PERSISTENT');
    let events = 0;
    await client.openSubtree('/watched', () => (events += 1), { holds: () => false });
    const diary = new SessionDiary(client);
    const { foreground, background } = client.traffic;

    for (let n = 1; n <= 30; n += 1) {
      await delay((3 * SESSION_MS) / 30);
      await writer.set('/watched', String(n));
    }
    await expect.poll(() => events, SOON).toBe(30);
    expect(diary.states()).toEqual([]);
    expect(client.traffic).toEqual({ foreground, background });
    expect([...(await server.sessions()).keys()]).toContain(client.session.id);
  });
});

describe('a view through a broken link', EACH, () => {
  it('brings a view up to date after nodes came, went and changed while the link was down', async () => {
    const { server, proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect, sessionTimeoutMs: 10_000 });
    const writer = await stage().client({ servers: server.connect });
    await writer.ensurePath('/job/kept');
    await writer.ensurePath('/job/gone/below');
    await writer.ensurePath('/job/replaced');
    const view = await client.openSubtree('/job', () => {});
    const diary = new SessionDiary(client);

    proxy.refuse();
    proxy.cut();
    await diary.first('SUSPENDED');
    await writer.set('/job/kept', 'changed');
    await writer.delete('/job/gone/below');
    await writer.delete('/job/gone');
    await writer.delete('/job/replaced');
    await writer.create('/job/replaced', 'new', 'PERSISTENT');
    await writer.ensurePath('/job/come/below');
    await proxy.accept();
    await diary.first('RECONNECTED');
    await view.sync();

    for (const path of ['/job', '/job/kept', '/job/replaced', '/job/come', '/job/come/below']) {
      expect(view.node(path)).toEqual(await writer.read(path));
    }
    expect(view.has('/job/gone')).toBe(false);
    expect(view.children('/job').toSorted()).toEqual(['come', 'kept', 'replaced']);
  });
});
