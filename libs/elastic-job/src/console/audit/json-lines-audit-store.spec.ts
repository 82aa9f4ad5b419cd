import { appendFile, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { at, describeAuditContract, entryAt, HOSTILE_TEXTS } from '@test/contract/audit/audit.contract.js';
import { JsonLinesAuditStore } from './json-lines-audit-store.js';

const SMALL = 4_096;

async function folderOf(maxBytes?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'audit-'));
  const file = join(folder, 'audit.jsonl');
  const options = maxBytes === undefined ? { file } : { file, maxBytes };
  return {
    folder,
    file,
    connect: () => new JsonLinesAuditStore(options),
    remove: () => rm(folder, { recursive: true }),
  };
}

describeAuditContract('a file of JSON lines', () => folderOf());
describeAuditContract('small files of JSON lines', () => folderOf(SMALL));

describe('a file of JSON lines', () => {
  let place: Awaited<ReturnType<typeof folderOf>>;
  let store: JsonLinesAuditStore;
  const opened: JsonLinesAuditStore[] = [];
  beforeEach(async () => {
    place = await folderOf(SMALL);
    ({ store } = await open());
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
    await place.remove();
  });

  async function open() {
    const another = place.connect();
    opened.push(another);
    return { store: another, told: await another.open() };
  }
  const text = () => readFile(place.file, 'utf8');
  const all = (from = store) => from.read({ unknownUntil: at(-1), limit: 1_000 });

  it('can be read by its owner alone', async () => {
    expect((await stat(place.file)).mode & 0o777).toBe(0o600);
  });

  it('has one line for each entry and end, whatever texts are in them', async () => {
    for (const [index, hostile] of HOSTILE_TEXTS.entries()) {
      await store.add(entryAt(index, { who: hostile, reason: hostile, outcome: 'intended' }));
      await store.settle(entryAt(index).id, { outcome: 'failed', code: hostile });
    }

    const lines = (await text()).split('\n').slice(0, -1);
    expect(lines).toHaveLength(2 * HOSTILE_TEXTS.length);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    expect((await all()).map(({ reason }) => reason)).toEqual(HOSTILE_TEXTS.toReversed());
  });

  it('goes on behind a line that a crash has cut short, and says so at its start', async () => {
    await store.add(entryAt(1));
    await appendFile(place.file, '{"id":"0193-000002","at":"2026');
    const again = await open();
    await again.store.add(entryAt(3));

    expect(again.told).toEqual([expect.stringMatching(/audit\.jsonl is read without 1 line that a crash/)]);
    expect((await all(again.store)).map(({ id }) => id)).toEqual([entryAt(3).id, entryAt(1).id]);
  });

  it('does not lose the entry of one process behind the cut line of another one', async () => {
    const { store: other } = await open();
    await other.add(entryAt(1));
    await appendFile(place.file, '{"id":"0193-');

    await Promise.all([store.add(entryAt(2)), other.add(entryAt(3))]);

    expect((await all()).map(({ id }) => id).toSorted()).toEqual([1, 2, 3].map((second) => entryAt(second).id));
  });

  it('begins a new file once one is full, and reads all of them in order', async () => {
    const { store: other } = await open();
    const entries = Array.from({ length: 40 }, (_, second) => entryAt(second, { outcome: 'intended' }));
    for (const [index, entry] of entries.entries()) await (index % 2 === 0 ? store : other).add(entry);
    for (const { id } of entries) await other.settle(id, { outcome: 'done', code: null });

    const files = await readdir(place.folder);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await stat(join(place.folder, file))).size).toBeLessThan(2 * SMALL);
    const again = await open();
    const found = await all(again.store);
    expect(found.map(({ id }) => id)).toEqual(entries.map(({ id }) => id).toReversed());
    expect(found.every(({ outcome }) => outcome === 'done')).toBe(true);
  });

  it('knows keys and switches of files that are full, also after a new start', async () => {
    await store.addOnce('config a 7', entryAt(1));
    await store.add(entryAt(2, { action: 'job.disable' }));
    for (const second of Array.from({ length: 30 }, (_, index) => index + 3)) await store.add(entryAt(second));
    expect(await text()).not.toContain('config a 7');

    for (const each of [store, (await open()).store]) {
      expect(await each.addOnce('config a 7', entryAt(99))).toBe(false);
      expect(await each.lastSwitches([entryAt(2).target])).toMatchObject([{ action: 'job.disable' }]);
    }
  });

  it('goes on in a new file if somebody renames or removes the file', async () => {
    await store.add(entryAt(1));
    await rename(place.file, `${place.file}.1`);
    await store.add(entryAt(2));
    expect((await text()).trim().split('\n')).toHaveLength(1);

    await rm(place.file);
    await store.add(entryAt(3));

    expect((await all()).map(({ id }) => id)).toEqual([entryAt(3).id]);
  });

  it('reads a file of other lines without failing, and keeps its own apart', async () => {
    const long = `{"id":"${'x'.repeat(300_000)}"}`;
    await writeFile(place.file, ['', 'hello', '[1]', 'null', '{"id":1}', long, '{"ends":"a"}', '{"at":"z"'].join('\n'));
    await store.add(entryAt(1));

    expect(await all()).toEqual([entryAt(1)]);
    expect(await store.has('a')).toBe(false);
  });

  it('stops reading once nobody waits for the entries', async () => {
    await store.add(entryAt(1));
    const waiting = new AbortController();

    const reading = store.read({ unknownUntil: at(-1), limit: 10, who: 'nobody' }, waiting.signal);
    waiting.abort();

    await expect(reading).rejects.toBe(waiting.signal.reason);
  });

  it('refuses an entry that cannot be written, and takes the next one once it can', async () => {
    await rm(place.folder, { recursive: true });
    await expect(store.add(entryAt(1))).rejects.toThrow(/ENOENT/);

    await mkdir(place.folder);
    await store.add(entryAt(2));

    expect(await all()).toEqual([entryAt(2)]);
  });

  it('names wrong options', () => {
    expect(() => new JsonLinesAuditStore({ file: '', maxBytes: 1 })).toThrow(
      /file must be the path of a file.*maxBytes must be a whole number from 4096/,
    );
  });
});
