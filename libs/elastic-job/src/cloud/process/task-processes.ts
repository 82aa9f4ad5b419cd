import { TASK_VARIABLE } from '../task-envelope.js';
import { type ProcessRow, ProcessTable } from './process-table.js';

/** Traits by which the processes of a task are told from others. */
export interface TaskTraits {
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

function identityOf({ pid, startedAt }: ProcessRow): string {
  return `${pid} ${startedAt}`;
}
