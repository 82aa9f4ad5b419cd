import { readdirSync, readFileSync } from 'node:fs';

/** A process of this host. */
interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  readonly residentPages: number;
}

/** Positions behind the name of the program in `/proc/<pid>/stat`. @see proc(5) */
const STATE = 0;
const PARENT = 1;
const SESSION = 3;
const RESIDENT = 21;

/**
 * The processes of this host as they are now, from `/proc`. Where there is none, the table is empty: then the kernel
 * alone knows what belongs to a group.
 */
export class ProcessTable {
  private readonly rows: readonly ProcessRow[] = readRows();

  /**
   * Members of a task: the process, its session, and all that descends from these as far as the parents live. A
   * session is more than a group, which a shell makes for each of its jobs.
   * @param pid of the process that was started in a session of its own
   */
  membersOf(pid: number): readonly number[] {
    return this.treeOf(pid).map((row) => row.pid);
  }

  /** The resident memory of all of a task, in bytes. Pages that its processes share count for each. */
  residentBytesOf(pid: number): number {
    return this.treeOf(pid).reduce((sum, { residentPages }) => sum + residentPages * pageSize(), 0);
  }

  private treeOf(root: number): readonly ProcessRow[] {
    const found = new Map<number, ProcessRow>();
    let isNew = true;
    // A child may stand before its parent.
    while (isNew) {
      isNew = false;
      for (const row of this.rows) {
        if (found.has(row.pid)) continue;
        if (row.pid !== root && row.session !== root && !found.has(row.parent)) continue;
        found.set(row.pid, row);
        isNew = true;
      }
    }
    return [...found.values()];
  }
}

/**
 * Finds processes by a variable of their environment, which descendants inherit in whatever session they are.
 * @returns the numbers of those that this user may ask
 */
export function processesWith(variable: string, value: string): readonly number[] {
  const sought = `${variable}=${value}`;
  return numbersOfProcesses().filter((pid) => readOf(pid, 'environ')?.split('\0').includes(sought));
}

/** Kills processes and groups; a negative number is a group's. What is gone already is passed over. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process is gone already.
    }
  }
}

/** Says whether a process still does something. One that waits to be reaped does not. */
export function isAtWork(pid: number): boolean {
  return rowOf(pid) !== undefined;
}

/** Says whether this host has a table of its processes. */
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
    return undefined; // It is gone meanwhile, or is another user's.
  }
}

let knownPageSize: number | undefined;

/** In bytes. Node does not tell it, but what the memory of this process is in bytes and in pages: a power of two. */
function pageSize(): number {
  const pages = rowOf('self')?.residentPages ?? 0;
  knownPageSize ??= pages > 0 ? 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages)) : 4_096;
  return knownPageSize;
}
