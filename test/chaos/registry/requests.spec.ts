import { describe, expect, it, onTestFinished } from 'vitest';
import type { Operation } from '../../../libs/elastic-job/src/registry/index.js';
import { OP } from '@test/support/faults/index.js';
import { SessionDiary } from './session-diary.js';
import { EACH, useStage } from './stage.js';

const stage = useStage();

const ofVersion0 = (path: string): readonly Operation[] => [
  { kind: 'check', path, version: 0 },
  { kind: 'set', path, data: 'lost update', version: 0 },
  { kind: 'delete', path, version: 0 },
];

describe('D3: version 0', EACH, () => {
  it('D3: refuses every kind of operation that expects version 0 of a node at version 1', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect });
    await client.create('/v', '', 'PERSISTENT');
    await client.set('/v', 'written');
    for (const operation of ofVersion0('/v')) {
      const result = await client.transaction([{ kind: 'check', path: '/' }, operation]);
      expect(result).toEqual({ kind: 'refused', index: 1, path: '/v', refusal: 'BAD_VERSION' });
    }
    await expect(client.set('/v', 'lost update', 0)).rejects.toMatchObject({ code: 'BAD_VERSION', version: 0 });
    await expect(client.delete('/v', 0)).rejects.toMatchObject({ code: 'BAD_VERSION', version: 0 });
    expect(await client.read('/v')).toMatchObject({ data: 'written', stat: { version: 1 } });
  });

  it('D3: does every kind of operation that expects version 0 of a node at version 0', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect });
    for (const [n, operation] of ofVersion0('/v').entries()) {
      await client.create(`/v${n}`, '', 'PERSISTENT');
      const result = await client.transaction([{ ...operation, path: `/v${n}` }]);
      expect(result.kind).toBe('committed');
    }
    expect((await client.children('/')).toSorted()).toEqual(['v0', 'v1']);
  });
});

describe('D15: a reply that is lost', EACH, () => {
  it('D15: reports an unknown fate of a create whose reply was lost, and there is one node', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    const diary = new SessionDiary(client);
    const lost = proxy.dropReplyAfter();
    const creating = client.create('/n-', '', 'EPHEMERAL_SEQUENTIAL');
    await expect(creating).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE', fate: 'unknown' });
    expect((await lost).type).toBe(OP.create2);
    await diary.first('RECONNECTED');
    expect(await client.children('/')).toHaveLength(1);
  });

  it('D15: applies writes whose replies are lost once, and tells their fate where the node shows it', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    for (const path of ['/set', '/set-in-one', '/deleted']) await client.create(path, '', 'PERSISTENT');
    const unknown = { status: 'rejected', reason: { fate: 'unknown' } };
    const writes = [
      { write: () => client.create('/own', 'mine', 'EPHEMERAL'), end: { status: 'fulfilled', value: '/own' } },
      { write: () => client.delete('/deleted'), end: { status: 'fulfilled' } },
      { write: () => client.set('/set', 'written'), end: unknown },
      { write: () => client.transaction([{ kind: 'set', path: '/set-in-one', data: 'written' }]), end: unknown },
    ];
    for (const { write, end } of writes) {
      const back = new SessionDiary(client).next('RECONNECTED');
      const lost = proxy.dropReplyAfter();
      expect(await Promise.allSettled([write()])).toMatchObject([end]);
      await lost;
      await back;
    }
    expect((await client.exists('/set'))?.version).toBe(1);
    expect((await client.exists('/set-in-one'))?.version).toBe(1);
    expect(await client.exists('/deleted')).toBeUndefined();
    expect(await client.exists('/own')).toMatchObject({ version: 0, ephemeralOwner: client.session.id });
  });

  it('D15: reports writes that never arrived as not applied where the node shows it', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    await client.create('/a', '', 'PERSISTENT');
    for (const write of [
      () => client.set('/a', 'x', 0),
      () => client.delete('/a'),
      () => client.create('/a', '', 'EPHEMERAL'),
    ]) {
      const back = new SessionDiary(client).next('RECONNECTED');
      const lost = proxy.dropRequest();
      await expect(write()).rejects.toMatchObject({ fate: 'not-applied' });
      await lost;
      await back;
    }
    expect(await client.read('/a')).toMatchObject({ data: '', stat: { version: 0, ephemeralOwner: undefined } });
  });

  it('D15: reports an unknown fate of a write that never arrived, and sends nothing twice', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    const diary = new SessionDiary(client);
    const lost = proxy.dropRequest();
    await expect(client.create('/n-', '', 'PERSISTENT_SEQUENTIAL')).rejects.toMatchObject({ fate: 'unknown' });
    await lost;
    await diary.first('RECONNECTED');
    expect(await client.children('/')).toEqual([]);
  });

  it('D15: asks and answers reads again whose replies were lost', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    await client.create('/a', 'there', 'PERSISTENT');
    const lost = proxy.dropReplyAfter(({ type }) => type === OP.getData);
    const asked = [
      client.read('/a'),
      client.read('/a'),
      client.readMany(['/a', '/none']),
      client.childrenMany(['/', '/none']),
      client.exists('/none'),
    ];
    const found = { path: '/a', data: 'there' };
    expect(await Promise.all(asked)).toMatchObject([found, found, [found, undefined], [['a'], undefined], undefined]);
    await lost;
  });
});

describe('D17: small promises', EACH, () => {
  it('D17: reads empty data as it was written', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect });
    await client.create('/a', '', 'PERSISTENT');
    await client.set('/a', 'x');
    await client.set('/a', '');
    expect((await client.read('/a'))?.data).toBe('');
    expect(await client.readMany(['/a'])).toMatchObject([{ data: '' }]);
  });

  it("D17: tells each of 20 views of one path of a change and the session's end, without warnings", async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => {
      // Vitest adds one more listener to its own signal with each repetition.
      if (!warning.message.includes('[AbortSignal]')) warnings.push(warning);
    };
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    const heard = new Set<number>();
    const views = await Promise.all(
      Array.from({ length: 20 }, (_, n) => client.openSubtree('/a', ({ kind }) => kind === 'created' && heard.add(n))),
    );
    await client.create('/a', '', 'PERSISTENT');
    await Promise.all(views.map((view) => view.sync()));
    expect(heard.size).toBe(20);

    const diary = new SessionDiary(client);
    proxy.refuse();
    proxy.cut();
    await diary.first('LOST');
    for (const view of views) expect(() => view.has('/a')).toThrow('is lost');
    expect(warnings).toEqual([]);
  });
});
