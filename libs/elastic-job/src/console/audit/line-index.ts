import type { FileHandle } from 'node:fs/promises';
import type { AuditEntry, AuditTarget } from '../contract/index.js';
import { isSwitch, targetKey, withEnd } from './audit-entry.js';
import { type AuditFile, opened } from './audit-file.js';
import { parseLine } from './audit-line.js';
import type { AuditEnd } from './audit-store.js';
import { linesForwards } from './lines-of-file.js';

/** Looks like a line that is kept in memory: an end, a key, or an entry of a switch. Others are not even parsed. */
const KEPT = /^\{"(?:ends|key)"|"key":|able"/;

/**
 * The part of all lines that is kept in memory, so that no question needs to read all files: the keys, and the last
 * switch of each target. It is made of the files alone, and reads what has been appended, by this process or another
 * one.
 */
export class LineIndex {
  /** Id of the first entry of each key, which counts; empty for a key without an entry. */
  private readonly keys = new Map<string, string>();
  /** Entries of switches that have not ended. */
  private readonly open = new Map<string, AuditEntry>();
  private readonly switches = new Map<string, AuditEntry>();
  /** Bytes that were read of each file, by its number. */
  private readonly read = new Map<number, number>();
  private current: number | undefined;
  private reading: Promise<unknown> = Promise.resolve();
  private broken = 0;

  constructor(private readonly file: Pick<AuditFile, 'fullFiles' | 'path'>) {}

  /** Lines that cannot be read. */
  get brokenLines(): number {
    return this.broken;
  }

  /** Reads what has come. @throws the error of the system */
  catchUp(): Promise<void> {
    const caughtUp = this.reading.then(() => this.readOn());
    this.reading = caughtUp.catch(() => {});
    return caughtUp;
  }

  has(key: string): boolean {
    return this.keys.has(key);
  }

  /** False for an entry of a key that another entry had before. */
  counts(key: string | undefined, id: string): boolean {
    return key === undefined || (this.keys.get(key) ?? id) === id;
  }

  lastSwitch(target: AuditTarget): AuditEntry | undefined {
    return this.switches.get(targetKey(target));
  }

  private async readOn(): Promise<void> {
    // Opened before the others are looked for. What comes after a later renaming is read next time, in its order.
    const file = await opened(this.file.path);
    try {
      const now = await file?.stat();
      if (now?.ino !== this.current) await this.readFullFiles();
      this.current = now?.ino;
      if (file !== undefined) await this.readRest(file);
    } finally {
      await file?.close();
    }
  }

  private async readFullFiles(): Promise<void> {
    for (const path of (await this.file.fullFiles()).toReversed()) {
      const file = await opened(path);
      try {
        if (file !== undefined) await this.readRest(file);
      } finally {
        await file?.close();
      }
    }
  }

  private async readRest(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat();
    const before = this.read.get(ino) ?? 0;
    if (size === before) return;
    // A smaller file is another one that has got the number of a former one.
    for await (const { end, text } of linesForwards(file, before > size ? 0 : before)) {
      this.note(text);
      this.read.set(ino, end);
    }
  }

  private note(text: string): void {
    if (text !== '' && !/^\{.*\}$/.test(text)) this.broken += 1;
    if (!KEPT.test(text)) return;
    const line = parseLine(text);
    switch (line?.kind) {
      case 'entry':
        if (line.key !== undefined && !this.keys.has(line.key)) this.keys.set(line.key, line.entry.id);
        return this.noteSwitch(line.entry);
      case 'end':
        return this.noteEnd(line.id, line.end);
      case 'key':
        if (!this.keys.has(line.key)) this.keys.set(line.key, '');
        return;
      default:
        return;
    }
  }

  private noteEnd(id: string, end: AuditEnd): void {
    const entry = this.open.get(id);
    if (entry !== undefined) this.noteSwitch(withEnd(entry, end));
  }

  private noteSwitch(entry: AuditEntry): void {
    if (!isSwitch(entry)) return;
    if (entry.outcome === 'intended') return void this.open.set(entry.id, entry);
    this.open.delete(entry.id);
    if (entry.outcome === 'done') this.switches.set(targetKey(entry.target), entry);
  }
}
