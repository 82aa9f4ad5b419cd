import { readFile } from 'node:fs/promises';
import type { TestServer } from '@test/support/faults/index.js';

/** Linux's value on all relevant machines. */
const TICKS_OF_SECOND = 100;
const FOUR_LETTER_LIMIT_MS = 30_000;

/** Processor time of a process since its start, in milliseconds. @throws where there is no /proc */
export async function cpuMsOf(pid: number): Promise<number> {
  return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
}

/** @param stat of `/proc/{pid}/stat`, whose second field may hold any characters */
export function parseStat(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) * 1_000) / TICKS_OF_SECOND;
}

/** Number of watches of each session, by its id in lower-case hexadecimal. */
export async function watchesBySession(server: TestServer): Promise<ReadonlyMap<string, number>> {
  return parseWatches(await server.fourLetter('wchc', FOUR_LETTER_LIMIT_MS));
}

/** @param text of `wchc`: each session with its watched paths, one a line */
export function parseWatches(text: string): ReadonlyMap<string, number> {
  const watches = new Map<string, number>();
  let session = '';
  for (const line of text.split('\n')) {
    if (line.startsWith('0x')) session = line.slice(2).trim();
    else if (line.startsWith('\t')) watches.set(session, (watches.get(session) ?? 0) + 1);
  }
  return watches;
}
