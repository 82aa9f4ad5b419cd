// The processes of this host, and those of them that belong to a task.
import { readdirSync, readFileSync } from 'node:fs';
import { type Clock, Deadline } from '../../clock/index.js';
import { TASK_VARIABLE } from '../task-envelope.js';

/** How long killed processes may take to end, and how often that is checked, in milliseconds. */
const MOST_KILL_MS = 2_000;
const KILL_LOOK_MS = 10;

/** A process of this host. */
interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly session: number;
  /** Its start, in ticks since the boot. No two processes have this and their id in common. */
  readonly startedAt: number;
  readonly residentPages: number;
}

/** Positions after the name of the program in `/proc/<pid>/stat`. @see proc(5) */
const STATE = 0;
const PARENT = 1;
const SESSION = 3;
const START = 19;
const RESIDENT = 21;

/**
 * The present processes of this host, from `/proc`. Without `/proc` the table is empty: only the kernel knows then
 * which processes belong to a group.
 */
export class ProcessTable {
  readonly rows: readonly ProcessRow[] = readRows();
  private readonly environments = new Map<number, ReadonlyMap<string, string>>();

  /** The processes for which the condition holds, with all descendants whose parents still live. */
  treesOf(isRoot: (row: ProcessRow) => boolean): readonly ProcessRow[] {
    const found = new Map(this.rows.filter(isRoot).map((row) => [row.pid, row]));
    let isNew = true;
    // A child may come before its parent.
    while (isNew) {
      isNew = false;
      for (const row of this.rows) {
        if (found.has(row.pid) || !found.has(row.parent)) continue;
        found.set(row.pid, row);
        isNew = true;
      }
    }
    return [...found.values()];
  }

  /**
   * A variable of a process, which descendants inherit in any session. Each process is read once.
   * @returns undefined if it has none, or if this user may not inspect it
   */
  variableOf({ pid }: ProcessRow, name: string): string | undefined {
    let environment = this.environments.get(pid);
    if (environment === undefined) {
      environment = new Map(readOf(pid, 'environ')?.split('\0').map(splitVariable));
      this.environments.set(pid, environment);
    }
    return environment.get(name);
  }
}

/** Resident memory of processes, in bytes. Shared pages count for each of them. */
export function residentBytesOf(rows: readonly ProcessRow[]): number {
  return rows.reduce((sum, { residentPages }) => sum + residentPages * pageSize(), 0);
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
    startedAt: Number(fields[START]),
    residentPages: Number(fields[RESIDENT]),
  };
}

function splitVariable(text: string): [string, string] {
  const nameEnd = text.indexOf('=');
  return [text.slice(0, nameEnd), text.slice(nameEnd + 1)];
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

/** Traits by which the processes of a task are told from others. */
interface TaskTraits {
  /** Id of its first process, which leads its session. Undefined if that is not known. */
  readonly pid: number | undefined;
  /** The text of its envelope, which no other task has. Undefined if it was given none. */
  readonly envelope: string | undefined;
}

/**
 * The processes of a task. One belongs to it if it
 * - is its first process, or in the session of that; a shell makes a group for each of its jobs,
 * - has its envelope in its environment,
 * - is a child of one that belongs to it, or
 * - was found to belong to it earlier.
 */
export class TaskProcesses {
  private known: ReadonlySet<string> = new Set();
  private hasFirstExited = false;

  constructor(private readonly traits: TaskTraits) {}

  /** Notes that its first process has exited. Another process may have the id from now on. */
  firstExited(): void {
    this.hasFirstExited = true;
  }

  /** Those that live. They are remembered: later their parents may be gone. */
  find(table = new ProcessTable()): readonly ProcessRow[] {
    const { pid, envelope } = this.traits;
    // While a session lasts, no process gets the id of its leader.
    const hasSession = pid !== undefined && !(this.hasFirstExited && table.rows.some((row) => row.pid === pid));
    const rows = table.treesOf(
      (row) =>
        (hasSession && (row.pid === pid || row.session === pid)) ||
        this.known.has(identityOf(row)) ||
        (envelope !== undefined && table.variableOf(row, TASK_VARIABLE) === envelope),
    );
    this.known = new Set(rows.map(identityOf));
    return rows;
  }
}

/** Kills tasks with all of their processes, for as long as any is left, but not for longer than 2 s. */
export async function killTasks(tasks: readonly TaskTraits[], clock: Clock): Promise<void> {
  const deadline = Deadline.after(clock, MOST_KILL_MS);
  const processes = tasks.map((task) => new TaskProcesses(task));
  for (;;) {
    const table = new ProcessTable();
    const left = processes.flatMap((each) => each.find(table).map(({ pid }) => pid));
    // Without a process table only the group is known.
    killAll([...left, ...tasks.flatMap(({ pid }) => (pid === undefined ? [] : [-pid]))]);
    if (left.length === 0 || deadline.leftMs === 0) return;
    await clock.sleep(KILL_LOOK_MS);
  }
}

function identityOf({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}
