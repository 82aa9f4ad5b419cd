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
      for (const path of ['/there', '/set', '/gone']) await client.create(path, '', 'PERSISTENT');
      const result = await client.transaction([
        { kind: 'check', path: '/there' },
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
        { kind: 'set', path: '/other', data: 'changed' },
        { kind: 'delete', path: '/other/gone' },
        { kind: 'renew', path: '/other/renewed', data: 'again', mode: 'PERSISTENT' },
        bad,
        { kind: 'check', path: '/also-none' },
      ]);
      expect(result).toEqual({ kind: 'refused', index: 4, path: bad.path, refusal });
      expect(await client.exists('/new')).toBeUndefined();
      expect(await client.read('/other')).toMatchObject({ data: '', stat: { version: 0 } });
      expect(await client.exists('/other/gone')).toBeDefined();
      expect(await client.read('/other/renewed')).toMatchObject({ data: '' });
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
  for (const path of ['/parent/child', '/other/gone', '/other/renewed']) await client.ensurePath(path);
  await client.create('/ephemeral', '', 'EPHEMERAL');
  await client.create('/written', '', 'PERSISTENT');
  await client.set('/written', 'at version 1');
}

function setZxids(result: TransactionResult): readonly bigint[] {
  if (result.kind === 'refused') throw new Error(`refused: ${result.refusal} ${result.path}`);
  return result.results.flatMap((one) => (one.kind === 'set' ? one.stat.mzxid : []));
}
