import { appendFileSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { killAll } from '../../../libs/elastic-job/src/cloud/process/process-table.js';
import type { TaskLine } from './task-line.js';

/** Time from one look at the processes to the next. */
const LOOK_MS = 10;
const MOST_READ_BYTES = 1 << 20;

/** A process of a task, as it was seen from outside. */
export interface ProcessLife {
  /** The line that the task has written as it began. */
  readonly begin: TaskLine;
  readonly pid: number;
  /** The last time at which it was seen at work: no earlier than its begin, and no later than its end. */
  seenAt: number;
}

/**
 * Watches all processes of tasks, from the lines in which tasks name them to their ends. Ends that a task could not
 * tell itself are added to the ledger.
 */
export class ProcessWatch {
  readonly lives: ProcessLife[] = [];
  readonly #logs = new Map<string, { readonly file: number; unread: string }>();
  readonly #living = new Map<ProcessLife, string>();
  readonly #over = new Set<string>();
  /** Those that were gone at the last look: their last lines may be unread. */
  #gone: ProcessLife[] = [];
  readonly #timer: NodeJS.Timeout;

  /** @param directory of the ledgers */
  constructor(private readonly directory: string) {
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** The processes that live, as far as it is known. */
  get living(): readonly ProcessLife[] {
    return [...this.#living.keys()];
  }

  /** Stops to look, and kills what lives. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    killAll(this.living.map(({ pid }) => pid));
  }

  #look(): void {
    for (const name of readdirSync(this.directory)) {
      if (name.endsWith('.runs.log')) for (const line of this.#newLines(name)) this.#hear(line);
    }
    for (const life of this.#gone.splice(0)) this.#tellEnd(life);
    for (const [life, startedAt] of this.#living) {
      const now = Date.now();
      if (startOf(life.pid) === startedAt) {
        life.seenAt = now;
        continue;
      }
      this.#living.delete(life);
      this.#gone.push(life);
    }
  }

  #tellEnd({ begin, pid, seenAt }: ProcessLife): void {
    if (pid !== begin.pid || this.#over.has(begin.run)) return;
    const line: TaskLine = { ...begin, step: 'abort', at: seenAt, isSeen: true };
    appendFileSync(join(this.directory, 'watch.runs.log'), `${JSON.stringify(line)}\n`);
  }

  #hear(line: TaskLine): void {
    if (line.step !== 'begin') return void this.#over.add(line.run);
    for (const pid of [line.pid, ...(line.children ?? [])]) {
      const life = { begin: line, pid, seenAt: line.at };
      this.lives.push(life);
      const startedAt = startOf(pid);
      if (startedAt !== undefined) this.#living.set(life, startedAt);
    }
  }

  #newLines(name: string): readonly TaskLine[] {
    const log = this.#logs.get(name) ?? { file: openSync(join(this.directory, name), 'r'), unread: '' };
    this.#logs.set(name, log);
    const bytes = Buffer.alloc(MOST_READ_BYTES);
    const lines = (log.unread + bytes.toString('utf8', 0, readSync(log.file, bytes))).split('\n');
    log.unread = lines.pop()!;
    return lines.map((line): TaskLine => JSON.parse(line));
  }
}

/** The start of a process that is at work, in ticks since the boot. Another process of the same id has another one. */
function startOf(pid: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = 'X', ...fields] = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return /[ZX]/.test(state) ? undefined : fields[18];
  } catch {
    return undefined; // It is gone.
  }
}
