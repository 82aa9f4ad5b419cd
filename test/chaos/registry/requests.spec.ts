import { describe, expect, it, onTestFinished } from 'vitest';
import type { Operation } from '../../../libs/elastic-job/src/registry/index.js';
import { OP } from '../../support/faults/index.js';
import { SessionDiary } from './session-diary.js';
import { EACH, useStage } from './stage.js';

const stage = useStage();

const ofVersion0 = (path: string): readonly Operation[] => [
  { kind: 'check', path, version: 0 },
  { kind: 'set', path, data: 'lost update', version: 0 },
  { kind: 'delete', path, version: 0 },
];

describe('D3: version 0', EACH, () => {
  it('D3: given a node at version 1, when version 0 is expected, then every kind of operation is refused', async () => {
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

  it('D3: given nodes at version 0, when version 0 is expected, then every kind of operation is done', async () => {
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
  it('D15: given a create whose reply is lost, when the client reconnects, then it says that it does not know, and there is one node', async () => {
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

  it('D15: given writes of every kind whose replies are lost, when the client reconnects, then each is applied exactly once, and its fate is told where the node shows it', async () => {
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

  it('D15: given writes that never arrive, when the client reconnects, then it says that nothing was applied where the node shows it', async () => {
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

  it('D15: given a write that never arrives, when the client reconnects, then it says that it does not know, and nothing was sent twice', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    const diary = new SessionDiary(client);
    const lost = proxy.dropRequest();
    await expect(client.create('/n-', '', 'PERSISTENT_SEQUENTIAL')).rejects.toMatchObject({ fate: 'unknown' });
    await lost;
    await diary.first('RECONNECTED');
    expect(await client.children('/')).toEqual([]);
  });

  it('D15: given reads whose replies are lost, when the client reconnects, then they are asked again and answered', async () => {
    const { proxy } = await stage().network();
    const client = await stage().client({ servers: proxy.connect });
    await client.create('/a', 'there', 'PERSISTENT');
    const lost = proxy.dropReplyAfter(({ type }) => type === OP.getData);
    const asked = [client.read('/a'), client.read('/a'), client.readMany(['/a', '/none']), client.exists('/none')];
    const found = { path: '/a', data: 'there' };
    expect(await Promise.all(asked)).toMatchObject([found, found, [found, undefined], undefined]);
    await lost;
  });
});

describe('D17: small promises', EACH, () => {
  it('D17: given empty data, when it is written and read, then it is empty', async () => {
    const server = await stage().server();
    const client = await stage().client({ servers: server.connect });
    await client.create('/a', '', 'PERSISTENT');
    await client.set('/a', 'x');
    await client.set('/a', '');
    expect((await client.read('/a'))?.data).toBe('');
    expect(await client.readMany(['/a'])).toMatchObject([{ data: '' }]);
  });

  it('D17: given 20 views of one path, when it changes and when the session ends, then each is told, and Node warns of nothing', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => {
      // Vitest listens to a signal of its own once more with each repetition.
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
