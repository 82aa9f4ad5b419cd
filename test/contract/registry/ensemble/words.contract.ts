import { describe, expect, it } from 'vitest';
import type { Operation } from '../../../../libs/elastic-job/src/registry/index.js';
import type { RegistryAdapter } from '../harness.js';
import { costOf, creationOf, useRegistry } from '../support.js';

const JOB = '/job';
const NODE = '/job/node';
const absent = { kind: 'absent', path: NODE } as const;
const notify = { kind: 'notify', path: NODE } as const;
const renew = { kind: 'renew', path: NODE, data: 'new', mode: 'EPHEMERAL' } as const;
const lead = { kind: 'lead', path: NODE, data: 'me' } as const;
const term = { kind: 'term', path: NODE, data: 'me', version: 0, term: 1 } as const;
const token = { kind: 'token', path: NODE, data: 'record' } as const;

/** Operations that take several of ZooKeeper's on one node. */
export function describeWords(adapter: RegistryAdapter): void {
  describe('operations on a node as a whole', () => {
    const { one, two } = useRegistry(adapter);

    it('absent: commits while there is no such node, and leaves none', async () => {
      const client = await one();
      await client.ensurePath(JOB);

      expect(await client.transaction([absent])).toEqual({ kind: 'committed', results: [{ kind: 'check' }] });
      expect(await client.children(JOB)).toEqual([]);
    });

    it('notify: tells watchers of a node that comes and goes, and leaves none', async () => {
      const [client, other] = await two();
      await client.ensurePath(JOB);
      const events: string[] = [];
      // Of a node whose value is held nothing is told: it is gone before it can be read.
      const view = await other.openSubtree(JOB, (event) => events.push(event.kind), { holds: () => false });

      expect(await client.transaction([notify])).toEqual({ kind: 'committed', results: [{ kind: 'check' }] });
      await view.sync();
      expect(events).toEqual(['created', 'deleted']);
      expect(view.has(NODE)).toBe(false);
    });

    it('renew: makes a node new, which then belongs to the session that renews it', async () => {
      const [client, other] = await two();
      await other.ensurePath(NODE);
      const { mzxid } = await other.set(NODE, 'old');

      expect(await client.transaction([{ ...renew, version: 1 }])).toEqual({
        kind: 'committed',
        results: [{ kind: 'create', path: NODE }],
      });
      const renewed = await client.read(NODE);
      expect(renewed).toMatchObject({ data: 'new', stat: { version: 0, ephemeralOwner: client.session.id } });
      expect(renewed!.stat.czxid).toBeGreaterThan(mzxid);
    });

    it('lead: creates an ephemeral node at version 1, and returns its stat', async () => {
      const client = await one();
      await client.ensurePath(JOB);

      const result = await client.transaction([lead]);
      const node = await client.read(NODE);
      expect(node).toMatchObject({ data: 'me', stat: { version: 1, ephemeralOwner: client.session.id } });
      expect(result).toEqual({ kind: 'committed', results: [{ kind: 'set', stat: node!.stat }] });
    });

    it('lead: replaces a node of the given version by a new one, at version 1 again', async () => {
      const client = await one();
      await client.ensurePath(JOB);
      await client.transaction([lead]);
      const former = await client.exists(NODE);

      expect(await client.transaction([{ ...lead, version: 1 }])).toMatchObject({ kind: 'committed' });
      const latter = await client.exists(NODE);
      expect(latter).toMatchObject({ version: 1, ephemeralOwner: client.session.id });
      expect(latter!.czxid).toBeGreaterThan(former!.czxid);
    });

    it('term: raises the version of a node to that of the term, and writes it', async () => {
      const client = await one();
      await client.ensurePath(NODE);

      const result = await client.transaction([{ ...term, term: 5 }]);
      const node = await client.read(NODE);
      expect(node).toMatchObject({ data: 'me', stat: { version: 5 } });
      expect(result).toEqual({ kind: 'committed', results: [{ kind: 'set', stat: node!.stat }] });
    });

    it('token: creates a node at version 1, whose token is greater than that of any earlier write', async () => {
      const client = await one();
      await client.ensurePath(JOB);
      const { mzxid } = await client.set(JOB, 'earlier');

      const result = await client.transaction([token]);
      const node = await client.read(NODE);
      expect(node).toMatchObject({ data: 'record', stat: { version: 1, ephemeralOwner: undefined } });
      expect(node!.stat.mzxid).toBeGreaterThan(mzxid);
      expect(result).toEqual({ kind: 'committed', results: [{ kind: 'set', stat: node!.stat }] });
    });

    it.each<[string, string, Operation]>([
      ['NODE_EXISTS', 'there', absent],
      ['NODE_EXISTS', 'there', notify],
      ['NODE_EXISTS', 'there', lead],
      ['NODE_EXISTS', 'there', token],
      ['NO_NODE', 'gone', renew],
      ['NO_NODE', 'gone', term],
      ['NO_NODE', 'gone', { ...lead, version: 1 }],
      ['NO_NODE', 'gone', { ...absent, path: `${NODE}/child` }],
      ['NO_NODE', 'gone', { ...token, path: `${NODE}/child` }],
      ['BAD_VERSION', 'there', { ...renew, version: 3 }],
      ['BAD_VERSION', 'there', { ...term, version: 3, term: 5 }],
      ['BAD_VERSION', 'there', { ...lead, version: 3 }],
      ['NOT_EMPTY', 'a parent', renew],
      ['NO_CHILDREN_FOR_EPHEMERALS', 'ephemeral', { ...absent, path: `${NODE}/child` }],
    ])('refuse %s of a node that is %s, in the place of %o, and apply nothing', async (refusal, state, word) => {
      const client = await one();
      await client.ensurePath(JOB);
      if (state === 'ephemeral') await client.create(NODE, '', 'EPHEMERAL');
      else if (state !== 'gone') await client.ensurePath(state === 'a parent' ? `${NODE}/child` : NODE);

      const before = [{ kind: 'token', path: '/first', data: '' }, creationOf('/second')] as const;
      const result = await client.transaction([...before, word, { kind: 'check', path: '/none' }]);

      expect(result).toEqual({ kind: 'refused', index: 2, path: word.path, refusal });
      expect(await client.children('/')).toEqual(['job']);
    });

    it('give each operation of a transaction its own result, also in a shared request', async () => {
      const client = await one();
      await client.ensurePath(JOB);
      const operations = [creationOf('/a'), token, { ...absent, path: '/b' }, { kind: 'check', path: JOB }] as const;

      const cost = await costOf(client, async () => {
        const answers = await Promise.all([
          client.transaction(operations, { dueAt: 1 }),
          client.transaction([creationOf('/c')], { dueAt: 2 }),
        ]);
        expect(answers).toMatchObject([
          {
            results: [{ kind: 'create' }, { kind: 'set', stat: { version: 1 } }, { kind: 'check' }, { kind: 'check' }],
          },
          { results: [{ kind: 'create', path: '/c' }] },
        ]);
      });
      expect(cost).toBe(1);
    });
  });

  describe('paths of a transaction', () => {
    const { one } = useRegistry(adapter);

    it('are named once, or nothing is sent', async () => {
      const client = await one();
      const twice = [creationOf('/a'), { kind: 'set', path: '/a', data: '' }] as const;

      const cost = await costOf(client, async () => {
        await expect(client.transaction(twice)).rejects.toThrow('A transaction names "/a" twice');
        await expect(client.transaction(twice, { dueAt: 1 })).rejects.toThrow(TypeError);
      });
      expect(cost).toBe(0);
    });

    it('may be the same for sequential creations, whose names differ', async () => {
      const client = await one();
      const next = { kind: 'create', path: '/n-', data: '', mode: 'PERSISTENT_SEQUENTIAL' } as const;

      expect(await client.transaction([next, next])).toMatchObject({ kind: 'committed' });
    });
  });
}
