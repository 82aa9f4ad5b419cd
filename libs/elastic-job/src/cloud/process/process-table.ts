import { readdirSync, readFileSync } from 'node:fs';

/** A process of this host. */
interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly residentPages: number;
}

/** Positions after the name of the program in `/proc/<pid>/stat`. @see proc(5) */
const STATE = 0;
const PARENT = 1;
const SESSION = 3;
const RESIDENT = 21;

/**
 * The present processes of this host, from `/proc`. Without `/proc` the table is empty: only the kernel knows then
 * which processes belong to a group.
 */
export class ProcessTable {
  private readonly rows: readonly ProcessRow[] = readRows();

  /**
   * Members of a task: the process, its session, and all descendants whose parents still live. A session may have
   * several groups, since a shell makes one for each of its jobs.
   * @param pid of the process that was started in a session of its own
   */
  membersOf(pid: number): readonly number[] {
    return this.treeOf(pid).map((row) => row.pid);
  }

  /**
   * Processes that a task has left in its session, with descendants whose parents still live. Another process may have
   * its id by now, and is left alone.
   * @param pid of a process that has ended
   */
  sessionOf(pid: number): readonly number[] {
    const isLeft = (row: ProcessRow) => row.session === pid && row.pid !== pid;
    return this.treesOf(isLeft).map((row) => row.pid);
  }

  /** Resident memory of a whole task, in bytes. Shared pages count for each of its processes. */
  residentBytesOf(pid: number): number {
    return this.treeOf(pid).reduce((sum, { residentPages }) => sum + residentPages * pageSize(), 0);
  }

  private treeOf(root: number): readonly ProcessRow[] {
    return this.treesOf(({ pid, session }) => pid === root || session === root);
  }

  private treesOf(isRoot: (row: ProcessRow) => boolean): readonly ProcessRow[] {
    const found = new Map<number, ProcessRow>();
    let isNew = true;
    // A child may come before its parent.
    while (isNew) {
      isNew = false;
      for (const row of this.rows) {
        if (found.has(row.pid)) continue;
        if (!isRoot(row) && !found.has(row.parent)) continue;
        found.set(row.pid, row);
        isNew = true;
      }
    }
    return [...found.values()];
  }
}

/**
 * Finds processes by a variable of their environment, which descendants inherit in any session.
 * @returns the ids of those that this user may inspect
 */
export function processesWith(variable: string, value: string): readonly number[] {
  const sought = `${variable}=${value}`;
  return numbersOfProcesses().filter((pid) => readOf(pid, 'environ')?.split('\0').includes(sought));
}

/** Kills processes and groups; a negative number is a group's. Those that are gone are skipped. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process is gone already.
    }
  }
}

/** True if a process still runs. A zombie does not. */
export function isAtWork(pid: number): boolean {
  return rowOf(pid) !== undefined;
}

/** True if this host has a process table. */
export function hasProcessTable(): boolean {
  return process.platform === 'linux' && rowOf('self') !== undefined;
}

function readRows(): readonly ProcessRow[] {
  return numbersOfProcesses().flatMap((pid) => rowOf(pid) ?? []);
}

function numbersOfProcesses(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function rowOf(pid: number | 'self'): ProcessRow | undefined {
  const text = readOf(pid, 'stat');
  if (text === undefined) return undefined;
  // The name of the program may hold blanks and brackets.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  if (/[ZX]/.test(fields[STATE] ?? 'X')) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    parent: Number(fields[PARENT]),
    session: Number(fields[SESSION]),
    residentPages: Number(fields[RESIDENT]),
  };
}

function readOf(pid: number | 'self', file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined; // The process is gone, or belongs to another user.
  }
}

let knownPageSize: number | undefined;

/**
 * In bytes. Node does not report it, so it is derived from this process's memory in bytes and in pages: a power of two.
 */
function pageSize(): number {
  const pages = rowOf('self')?.residentPages ?? 0;
  knownPageSize ??= pages > 0 ? 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages)) : 4_096;
  return knownPageSize;
}
