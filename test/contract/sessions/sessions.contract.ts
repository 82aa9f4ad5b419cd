import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore, StoredSession } from '../../../libs/elastic-job/src/console/identity/index.js';

/** A place where sessions are kept. */
export interface SessionsStage {
  /** One more store of the same sessions, as another console has one. */
  connect(): SessionStore;
  close(): Promise<void>;
}

const NOW = Date.UTC(2030, 0, 1);
const keyOf = (number: number): string => number.toString(16).padStart(64, '0');

function sessionOf(number: number, fields: Partial<StoredSession> = {}): StoredSession {
  const session = {
    name: 'anna',
    role: 'operator',
    jobPrefix: 'billing-',
    begunAt: NOW,
    usedAt: NOW + number,
  } as const;
  return { ...session, key: keyOf(number), credential: keyOf(number + 100), ...fields };
}

/** The rules for every store of sessions. */
export function describeSessionsContract(name: string, open: () => Promise<SessionsStage>): void {
  describe(`sessions in ${name}`, () => {
    let stage: SessionsStage;
    let store: SessionStore;

    beforeEach(async () => {
      stage = await open();
      store = stage.connect();
    });
    afterEach(() => stage.close());

    it('are found as they were added, by every console of the store', async () => {
      const sessions = [sessionOf(1), sessionOf(2, { role: 'admin', jobPrefix: null })];
      for (const session of sessions) await store.add(session);

      for (const other of [store, stage.connect()]) {
        expect(await other.find(keyOf(1))).toEqual(sessions[0]);
        expect(await other.find(keyOf(2))).toEqual(sessions[1]);
        expect(await other.find(keyOf(3))).toBeUndefined();
      }
    });

    it.each(['Ärztin 患者', "'; drop table x; --", '100 % \\ "quoted" \u{1f600}', 'ў'.repeat(128)])(
      'have any name that a user may have: %s',
      async (person) => {
        const session = sessionOf(1, { name: person, jobPrefix: 'zahlungen-äöü' });
        await store.add(session);
        expect(await store.find(keyOf(1))).toEqual(session);
      },
    );

    it.each(["' or 1=1 --", '%', '', '__proto__'])('are not found by the key %s', async (key) => {
      await store.add(sessionOf(1));

      expect(await store.find(key)).toBeUndefined();
      await store.remove(key);
      expect(await store.find(keyOf(1))).toBeDefined();
    });

    it('know their last use, which goes forward alone', async () => {
      await store.add(sessionOf(1, { usedAt: NOW }));

      await store.touch(keyOf(1), NOW + 60_000);
      await store.touch(keyOf(1), NOW + 30_000);
      expect(await stage.connect().find(keyOf(1))).toEqual(sessionOf(1, { usedAt: NOW + 60_000 }));
    });

    it('are gone once they are removed, for every console, and a late use does not bring them back', async () => {
      const other = stage.connect();
      await store.add(sessionOf(1));
      await store.add(sessionOf(2));

      await other.remove(keyOf(1));
      await other.remove(keyOf(1));
      await store.touch(keyOf(1), NOW + 60_000);
      for (const each of [store, other]) {
        expect(await each.find(keyOf(1))).toBeUndefined();
        expect(await each.find(keyOf(2))).toBeDefined();
      }
    });

    it('are pruned by their begin and by their last use', async () => {
      await store.add(sessionOf(1, { begunAt: NOW - 1, usedAt: NOW + 9 }));
      await store.add(sessionOf(2, { begunAt: NOW, usedAt: NOW + 4 }));
      await store.add(sessionOf(3, { begunAt: NOW, usedAt: NOW + 5 }));

      await store.prune(NOW, NOW + 5);
      const left = await Promise.all([1, 2, 3].map(async (number) => store.find(keyOf(number))));
      expect(left.map((session) => session?.key)).toEqual([undefined, undefined, keyOf(3)]);
    });

    it('may be added by several consoles that start at once', async () => {
      const consoles = Array.from({ length: 4 }, () => stage.connect());
      await Promise.all(consoles.map((each, number) => each.add(sessionOf(number))));

      const found = await Promise.all(consoles.map((_, number) => store.find(keyOf(number))));
      expect(found.map((session) => session?.key)).toEqual([0, 1, 2, 3].map(keyOf));
    });
  });
}
