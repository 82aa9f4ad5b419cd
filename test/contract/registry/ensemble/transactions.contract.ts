import { describe, expect, it } from 'vitest';
import type { Operation, RegistryCenter, TransactionResult } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, creationOf, useRegistry } from '../support.js';

const removalOf = (path: string) => ({ kind: 'delete', path }) as const;

export function describeTransactions(adapter: RegistryAdapter): void {
  describe('transactions', () => {
    const { one, two } = useRegistry(adapter);

    it('give a result for each kind of operation', async () => {
      const client = await one();
      await client.create('/set', '', 'PERSISTENT');
      await client.create('/gone', '', 'PERSISTENT');
      const result = await client.transaction([
        { kind: 'check', path: '/set' },
        { kind: 'create', path: '/new', data: 'n', mode: 'EPHEMERAL' },
        { kind: 'set', path: '/set', data: 's' },
        { kind: 'delete', path: '/gone' },
      ]);
      expect(result).toEqual({
        kind: 'committed',
        results: [
          { kind: 'check' },
          { kind: 'create', path: '/new' },
          { kind: 'set', stat: (await client.read('/set'))?.stat },
          { kind: 'delete' },
        ],
      });
      expect(await client.read('/new')).toMatchObject({ data: 'n', stat: { ephemeralOwner: client.session.id } });
      expect(await client.exists('/gone')).toBeUndefined();
    });

    it('may set a node that they create, which is then at version 1', async () => {
      const client = await one();
      const result = await client.transaction([
        { kind: 'create', path: '/leader', data: '', mode: 'EPHEMERAL' },
        { kind: 'set', path: '/leader', data: 'me', version: 0 },
        { kind: 'check', path: '/leader', version: 1 },
      ]);
      expect(result.kind).toBe('committed');
      expect(await client.read('/leader')).toMatchObject({ data: 'me', stat: { version: 1 } });
    });

    it('may create a node again that they delete, which is then a new node', async () => {
      const client = await one();
      await client.create('/a', 'old', 'PERSISTENT');
      const before = await client.set('/a', 'older');
      const result = await client.transaction([
        { kind: 'delete', path: '/a', version: 1 },
        { kind: 'create', path: '/a', data: 'new', mode: 'PERSISTENT' },
      ]);
      const after = await client.read('/a');
      expect(result.kind).toBe('committed');
      expect(after).toMatchObject({ data: 'new', stat: { version: 0 } });
      expect(after?.stat.czxid).toBeGreaterThan(before.mzxid);
    });

    it('create or delete a parent and its child in the order of the operations', async () => {
      const client = await one();
      expect(await client.transaction([creationOf('/p/c'), creationOf('/p')])).toMatchObject({
        kind: 'refused',
        index: 0,
      });
      expect(await client.transaction([creationOf('/p'), creationOf('/p/c')])).toMatchObject({ kind: 'committed' });
      expect(await client.transaction([removalOf('/p'), removalOf('/p/c')])).toMatchObject({
        refusal: 'NOT_EMPTY',
        index: 0,
      });
      expect(await client.transaction([removalOf('/p/c'), removalOf('/p')])).toMatchObject({ kind: 'committed' });
    });

    it('give results whose mzxid grows from one transaction to the next', async () => {
      const [a, b] = await two();
      await a.create('/n', '', 'PERSISTENT');
      const tokens: bigint[] = [];
      for (const client of [a, b, a, b]) {
        const [mzxid] = setZxids(await client.transaction([{ kind: 'set', path: '/n', data: '' }]));
        tokens.push(mzxid!);
      }
      expect(tokens).toEqual([...new Set(tokens)].toSorted((x, y) => (x < y ? -1 : 1)));
      expect((await b.exists('/n'))?.mzxid).toBe(tokens.at(-1));
    });

    it('give several sets one transaction id, greater than before', async () => {
      const client = await one();
      await client.create('/a', '', 'PERSISTENT');
      await client.create('/b', '', 'PERSISTENT');
      const before = (await client.exists('/b'))!.mzxid;
      const [a, b] = setZxids(
        await client.transaction([
          { kind: 'set', path: '/a', data: '' },
          { kind: 'set', path: '/b', data: '' },
        ]),
      );
      expect(a).toBeGreaterThan(before);
      expect(b).toBe(a);
    });

    it.each<[string, Operation]>([
      ['NO_NODE', { kind: 'check', path: '/none' }],
      ['NO_NODE', { kind: 'set', path: '/none', data: '' }],
      ['NO_NODE', { kind: 'delete', path: '/none' }],
      ['NO_NODE', { kind: 'create', path: '/none/child', data: '', mode: 'PERSISTENT' }],
      ['NODE_EXISTS', { kind: 'create', path: '/parent', data: '', mode: 'PERSISTENT' }],
      ['BAD_VERSION', { kind: 'check', path: '/written', version: 0 }],
      ['BAD_VERSION', { kind: 'set', path: '/written', data: '', version: 0 }],
      ['BAD_VERSION', { kind: 'delete', path: '/written', version: 0 }],
      ['NOT_EMPTY', { kind: 'delete', path: '/parent' }],
      ['NO_CHILDREN_FOR_EPHEMERALS', { kind: 'create', path: '/ephemeral/child', data: '', mode: 'PERSISTENT' }],
    ])('refuse %s for %o by name, and apply nothing', async (refusal, bad) => {
      const client = await one();
      await prepareTree(client);
      const result = await client.transaction([
        { kind: 'create', path: '/new', data: '', mode: 'PERSISTENT' },
        { kind: 'set', path: '/parent', data: 'changed' },
        { kind: 'delete', path: '/parent/child' },
        { kind: 'create', path: '/parent/child', data: 'again', mode: 'PERSISTENT' },
        bad,
        { kind: 'check', path: '/also-none' },
      ]);
      expect(result).toEqual({ kind: 'refused', index: 4, path: bad.path, refusal });
      expect(await client.exists('/new')).toBeUndefined();
      expect(await client.read('/parent')).toMatchObject({ data: '', stat: { version: 0 } });
      expect(await client.read('/parent/child')).toMatchObject({ data: '' });
    });

    it('spend no sequential number if they are refused', async () => {
      const client = await one();
      await client.create('/q', '', 'PERSISTENT');
      await client.transaction([
        { kind: 'create', path: '/q/n-', data: '', mode: 'PERSISTENT_SEQUENTIAL' },
        { kind: 'check', path: '/none' },
      ]);
      expect(await client.create('/q/n-', '', 'PERSISTENT_SEQUENTIAL')).toBe('/q/n-0000000000');
    });

    it('take one request for a hundred operations', async () => {
      const client = await one();
      const operations = Array.from({ length: 100 }, (_, n) => creationOf(`/n${n}`));
      expect(await costOf(client, () => client.transaction(operations))).toBe(1);
      expect(await client.children('/')).toHaveLength(100);
    });
  });
}

async function prepareTree(client: RegistryCenter): Promise<void> {
  await client.ensurePath('/parent/child');
  await client.create('/ephemeral', '', 'EPHEMERAL');
  await client.create('/written', '', 'PERSISTENT');
  await client.set('/written', 'at version 1');
}

function setZxids(result: TransactionResult): readonly bigint[] {
  if (result.kind === 'refused') throw new Error(`refused: ${result.refusal} ${result.path}`);
  return result.results.flatMap((one) => (one.kind === 'set' ? one.stat.mzxid : []));
}
