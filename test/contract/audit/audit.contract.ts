import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AuditFilter, AuditStore } from '../../../libs/elastic-job/src/console/audit/index.js';
import type { AuditEntry } from '../../../libs/elastic-job/src/console/contract/index.js';

/** A place in which an audit is kept. */
export interface AuditPlace {
  /** One more console of the same audit. */
  connect(): AuditStore;
  /** Removes what was kept. */
  remove(): Promise<void>;
}

const START = Date.parse('2026-11-30T02:00:00.000Z');
export const at = (second: number): string => new Date(START + second * 1_000).toISOString();
const EVERYTHING: AuditFilter = { unknownUntil: at(-1), limit: 100 };

/** An entry of a change that succeeded. Ids of greater numbers are later. */
export function entryAt(second: number, changed: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: `0193-${String(second).padStart(6, '0')}`,
    at: at(second),
    who: 'alice',
    role: 'operator',
    by: 'token',
    address: '10.0.0.9',
    requestId: 'r-1',
    action: 'job.trigger',
    target: { job: 'settle-orders' },
    reason: 'INC-1',
    before: null,
    after: null,
    outcome: 'done',
    code: null,
    ...changed,
  };
}

/** Texts that somebody may give to forge entries, to leave a filter, or to reverse a line. */
export const HOSTILE_TEXTS = [
  `a\r\n{"id":"forged","outcome":"done"}`,
  `x'; drop table elastic_job_audit; --`,
  '%_\\%',
  '\u202Egnp.exe\u2066\u200B\u0085\u2028\u007F\u0000',
  '结算 😀 \uD800',
  '__proto__',
];

/** The rules for every store of the audit. */
export function describeAuditContract(name: string, open: () => Promise<AuditPlace>): void {
  describe(`an audit in ${name}`, () => {
    let place: AuditPlace;
    let store: AuditStore;
    let stores: AuditStore[];

    beforeEach(async () => {
      place = await open();
      stores = [];
      store = await connect();
    });
    afterEach(async () => {
      await Promise.all(stores.map((each) => each.close()));
      await place.remove();
    });

    async function connect(): Promise<AuditStore> {
      const connected = place.connect();
      stores.push(connected);
      await connected.open();
      return connected;
    }

    const read = (filter: Partial<AuditFilter> = {}, from = store) => from.read({ ...EVERYTHING, ...filter });
    const idsOf = async (filter: Partial<AuditFilter>) => (await read(filter)).map(({ id }) => id);
    const addAll = async (...entries: readonly AuditEntry[]) => {
      for (const entry of entries) await store.add(entry);
      return entries.map(({ id }) => id);
    };

    it('returns an entry as it was added, also to another console', async () => {
      const entry = entryAt(1, { target: { job: 'a', item: 3 }, before: { cron: null }, after: [{ field: 'cron' }] });
      await store.add(entry);

      expect(await read()).toEqual([entry]);
      expect(await read({}, await connect())).toEqual([entry]);
    });

    it.each(HOSTILE_TEXTS)('keeps the text %j whole, and finds it alone', async (text) => {
      const entry = entryAt(1, { who: text, target: { job: text, server: text }, reason: text, after: { text } });
      await addAll(entryAt(0), entry, entryAt(2));

      expect(await read({ job: text, who: text, server: text })).toEqual([entry]);
      expect(await read()).toHaveLength(3);
    });

    it('returns the newest entries first, in pages', async () => {
      const ids = await addAll(...[1, 2, 3, 4, 5].map((second) => entryAt(second)));

      const page = await read({ limit: 2 });
      const next = await read({ limit: 10, after: page.at(-1)! });

      expect([...page, ...next].map(({ id }) => id)).toEqual(ids.toReversed());
      expect(await read({ after: next.at(-1)! })).toEqual([]);
    });

    it('tells entries of one instant apart from page to page', async () => {
      const ids = await addAll(...[1, 2, 3].map((second) => entryAt(second, { at: at(1) })));

      const page = await read({ limit: 1 });
      const next = await read({ after: page[0]! });

      expect([...page, ...next].map(({ id }) => id)).toEqual(ids.toReversed());
    });

    it('completes an entry by its first end', async () => {
      const intended = entryAt(1, { outcome: 'intended', before: 1, after: 2 });
      await addAll(intended, entryAt(2, { outcome: 'intended' }));

      await store.settle(intended.id, { outcome: 'done', code: null, after: 3 });
      await store.settle(intended.id, { outcome: 'refused', code: 'LATE' });
      await store.settle('0193-unknown', { outcome: 'done', code: null });

      expect(await read()).toEqual([
        entryAt(2, { outcome: 'intended' }),
        { ...intended, outcome: 'done', before: 1, after: 3 },
      ]);
    });

    it('finds entries of a server, in all of its jobs and in one', async () => {
      const [all, one] = await addAll(
        entryAt(1, { action: 'server.disable', target: { server: '10.0.0.7' } }),
        entryAt(2, { action: 'job.disable', target: { job: 'a', server: '10.0.0.7' } }),
        entryAt(3, { action: 'server.disable', target: { server: '10.0.0.70' } }),
        entryAt(4, { target: { job: '10.0.0.7' } }),
      );

      expect(await idsOf({ server: '10.0.0.7' })).toEqual([one, all]);
      expect(await idsOf({ server: '10.0.0.7', job: 'a' })).toEqual([one]);
      expect(await idsOf({ server: '10.0.0' })).toEqual([]);
    });

    it('finds entries by job, person, action and time', async () => {
      const [first, second, third] = await addAll(
        entryAt(1, { target: { job: 'Settle' } }),
        entryAt(2, { who: 'bob', target: { job: 'settle' } }),
        entryAt(3, { action: 'job.disable', target: { job: 'settle ' } }),
      );

      expect(await idsOf({ job: 'Settle' })).toEqual([first]);
      expect(await idsOf({ job: 'settle' })).toEqual([second]);
      expect(await idsOf({ job: 'settle ' })).toEqual([third]);
      expect(await idsOf({ who: 'bob' })).toEqual([second]);
      expect(await idsOf({ who: 'Bob' })).toEqual([]);
      expect(await idsOf({ action: 'job.disable' })).toEqual([third]);
      expect(await idsOf({ from: at(2), to: at(3) })).toEqual([second]);
    });

    it('takes an entry without an end for unknown once it is old', async () => {
      const [old, fresh, lost, done] = await addAll(
        entryAt(1, { outcome: 'intended' }),
        entryAt(5, { outcome: 'intended' }),
        entryAt(6, { outcome: 'unknown' }),
        entryAt(7),
      );
      const unknownUntil = at(4);

      expect(await idsOf({ outcome: 'unknown', unknownUntil })).toEqual([lost, old]);
      expect(await idsOf({ outcome: 'intended', unknownUntil })).toEqual([fresh]);
      expect(await idsOf({ outcome: 'done', unknownUntil })).toEqual([done]);
    });

    it('shows a caller with a prefix the entries of those jobs, and own log-ins', async () => {
      const login = { action: 'session.login', target: {} };
      const [own, , lower] = await addAll(
        entryAt(1, login),
        entryAt(2, { ...login, who: 'bob' }),
        entryAt(3, { target: { job: 'pay%_a' }, who: 'bob' }),
        entryAt(4, { target: { job: 'payXYa' } }),
        entryAt(5, { target: { job: 'PAY%_a' } }),
        entryAt(6, { target: { job: 'my-pay%_' } }),
        entryAt(7, { action: 'server.disable', target: { server: '10.0.0.1' } }),
      );

      expect(await idsOf({ seenBy: { jobPrefix: 'pay%_', name: 'alice' } })).toEqual([lower, own]);
    });

    it('adds an entry once for its key, whichever console is first', async () => {
      const others = await Promise.all([connect(), connect()]);
      const all = [store, ...others];

      const added = await Promise.all(all.map((each, index) => each.addOnce('config 7', entryAt(index))));

      expect(added.filter(Boolean)).toHaveLength(1);
      const entries = await Promise.all(all.map((each) => read({}, each)));
      expect(entries.map((each) => each.length)).toEqual([1, 1, 1]);
      expect(await store.addOnce('config 7', entryAt(9))).toBe(false);
      expect(await Promise.all(all.map((each) => each.has('config 7')))).toEqual([true, true, true]);
    });

    it('tells names apart that differ at their end alone, however long they are', async () => {
      const [one, other] = [`${'结'.repeat(1_000)}1`, `${'结'.repeat(1_000)}2`];
      const [first] = await addAll(
        entryAt(1, { target: { job: one }, action: 'job.disable' }),
        entryAt(2, { target: { job: other } }),
      );
      await store.addOnce(one);

      expect(await idsOf({ job: one })).toEqual([first]);
      expect(await idsOf({ seenBy: { jobPrefix: other, name: 'bob' } })).not.toContain(first);
      expect(await store.lastSwitches([{ job: other }, { job: one }])).toMatchObject([undefined, { id: first }]);
      expect([await store.has(one), await store.has(other)]).toEqual([true, false]);
    });

    it.each(['\u0000', '\uD800', "' or 1=1 --", '患者'])(
      'answers a cursor that somebody has made up: %j',
      async (id) => {
        const [first] = await addAll(entryAt(1));

        const found = await idsOf({ after: { at: at(2), id } });
        expect([[], [first]]).toContainEqual(found);
      },
    );

    it('is opened by several consoles at once', async () => {
      const fresh = await open();
      const consoles = Array.from({ length: 8 }, () => fresh.connect());

      await Promise.all(consoles.map((each) => each.open()));
      await consoles[0]!.add(entryAt(1));

      expect(await Promise.all(consoles.map((each) => read({}, each)))).toEqual(consoles.map(() => [entryAt(1)]));
      await Promise.all(consoles.map((each) => each.close()));
      await fresh.remove();
    });

    it('keeps a key without an entry', async () => {
      expect(await store.has('Job a')).toBe(false);

      expect(await store.addOnce('Job a')).toBe(true);

      expect([await store.has('Job a'), await store.has('job a'), await store.addOnce('Job a')]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await read()).toEqual([]);
    });

    it('finds the last switch of exactly a target, by whichever console', async () => {
      const target = { job: 'a', item: 1 };
      const other = await connect();
      await addAll(
        entryAt(1, { action: 'item.disable', target, who: 'bob' }),
        entryAt(2, { action: 'job.disable', target: { job: 'a' } }),
        entryAt(3, { action: 'item.enable', target, outcome: 'refused' }),
        entryAt(4, { action: 'item.cancel', target }),
      );
      expect(await other.lastSwitches([target])).toMatchObject([{ who: 'bob', action: 'item.disable' }]);

      await other.add(entryAt(5, { action: 'item.enable', target, outcome: 'intended' }));
      expect(await store.lastSwitches([target])).toMatchObject([{ action: 'item.disable' }]);
      await other.settle(entryAt(5).id, { outcome: 'done', code: null });

      expect(await store.lastSwitches([target])).toMatchObject([{ action: 'item.enable', outcome: 'done' }]);
      expect(await store.lastSwitches([{ job: 'a', item: 2 }])).toEqual([undefined]);
    });

    it('finds the last switches of any number of targets, in their order', async () => {
      const targets = Array.from({ length: 501 }, (_, item) => ({ job: 'a', item }));
      const [last, first] = [{ job: 'a', item: 500 }, targets[0]!];
      await addAll(
        entryAt(1, { action: 'item.disable', target: first }),
        entryAt(2, { action: 'item.disable', target: last }),
        entryAt(3, { action: 'item.enable', target: last }),
        entryAt(4, { action: 'item.disable', target: last }),
      );

      const found = await store.lastSwitches([...targets, first]);

      expect(found.map((entry) => entry?.id)).toEqual([
        entryAt(1).id,
        ...Array.from({ length: 499 }),
        entryAt(4).id,
        entryAt(1).id,
      ]);
      expect(await store.lastSwitches([])).toEqual([]);
    });

    it('keeps all entries of many requests at once', async () => {
      const entries = Array.from({ length: 150 }, (_, index) => entryAt(index, { outcome: 'intended' }));
      const other = await connect();

      await Promise.all(entries.map((entry, index) => (index % 2 === 0 ? store : other).add(entry)));
      await Promise.all(entries.map(({ id }) => store.settle(id, { outcome: 'done', code: null })));

      const found = await read({ limit: 1_000 });
      expect(new Set(found.map(({ id }) => id)).size).toBe(150);
      expect(found.every(({ outcome }) => outcome === 'done')).toBe(true);
    });
  });
}
