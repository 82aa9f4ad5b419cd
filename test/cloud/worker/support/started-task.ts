import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { TaskEnvelope, TaskReport } from '@app/elastic-job/cloud';
import { onTestFinished } from 'vitest';
import { hostMonotonicNow } from '../../../../libs/elastic-job/src/clock/index.js';
import { TASK_CHANNEL, type TaskInstruction } from '../../../../libs/elastic-job/src/cloud/index.js';
import { ENVELOPE } from '@test/support/unit/envelope.js';

const TYPESCRIPT = new URL('../../../support/faults/register-typescript.mjs', import.meta.url).href;
const APPLICATION = fileURLToPath(new URL('./application.fixture.ts', import.meta.url));

interface TaskStart {
  readonly envelope?: Partial<TaskEnvelope>;
  /** A text in place of an envelope. */
  readonly text?: string;
  /** Milliseconds that the channel grants, again and again. Undefined: there is no channel. */
  readonly heldForMs?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @default the application of this folder, under Node */
  readonly command?: readonly string[];
}

/** A message of a task on its channel. */
export interface Statement {
  readonly report?: TaskReport;
  readonly checkpoint?: unknown;
  readonly id?: number;
}

/** End of a task, with everything that it has said. */
export interface EndedTask {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From the channel, or else from the file. */
  readonly report: TaskReport | undefined;
  /** Messages of the application on its standard output, one JSON text in a line. */
  readonly told: readonly unknown[];
  readonly words: string;
}

/** A task in a process of its own, as a backend would start it. It ends with the test. */
export class StartedTask {
  readonly statements: Statement[] = [];
  readonly ended: Promise<EndedTask>;
  private readonly child: ChildProcess;
  private readonly channel: Duplex | undefined;
  private readonly directory = mkdtempSync(join(tmpdir(), 'task-'));
  private readonly listeners = new Set<() => void>();
  private output = '';
  private errors = '';
  private granting: NodeJS.Timeout | undefined;
  /** Answers each checkpoint that the task wants to be saved. */
  onCheckpoint: (id: number) => TaskInstruction = (id) => ({ saved: id });

  constructor({ envelope, text, heldForMs, env, command }: TaskStart) {
    const answers = heldForMs === undefined ? { report: this.reportFile } : { channel: TASK_CHANNEL };
    const [program = '', ...args] = command ?? [process.execPath, '--import', TYPESCRIPT, APPLICATION];
    this.child = spawn(program, args, {
      env: {
        PATH: process.env['PATH'],
        ELASTIC_JOB_TASK: text ?? JSON.stringify({ ...ENVELOPE, ...answers, ...envelope }),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', heldForMs === undefined ? 'ignore' : 'pipe'],
    });
    this.child.stdout!.setEncoding('utf8').on('data', (some: string) => this.hear(() => (this.output += some)));
    this.child.stderr!.setEncoding('utf8').on('data', (some: string) => (this.errors += some));
    if (heldForMs !== undefined) {
      this.channel = this.openChannel();
      this.grantEach(heldForMs);
    }
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => resolve(this.end(code, signal)));
    });
    onTestFinished(async () => {
      this.child.kill('SIGKILL');
      await this.ended;
      rmSync(this.directory, { recursive: true });
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get reportFile(): string {
    return join(this.directory, 'report');
  }

  /** Resolves once the application has said this. @throws if the task ends before */
  async says(told: unknown): Promise<void> {
    const line = JSON.stringify(told);
    const hasEnded = this.ended.then((ended) => {
      throw new Error(`The task has ended without ${line}: ${JSON.stringify(ended)}`);
    });
    while (!this.told.some((one) => JSON.stringify(one) === line)) {
      const more = new Promise<void>((resolve) => this.listeners.add(resolve));
      await Promise.race([more, hasEnded]);
    }
    hasEnded.catch(() => {});
  }

  kill(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  say(instruction: TaskInstruction): void {
    this.sayText(JSON.stringify(instruction));
  }

  sayText(line: string): void {
    this.channel?.write(`${line}\n`);
  }

  /** Makes the scheduler fall silent. */
  stopGranting(): void {
    clearInterval(this.granting);
  }

  closeChannel(): void {
    this.channel?.destroy();
  }

  /** Messages of the task so far, without an unfinished line. */
  private get told(): readonly unknown[] {
    const lines = this.output.split('\n').slice(0, -1);
    return lines
      .filter((line) => /^[{"[]/.test(line) && !line.startsWith('[Nest]'))
      .map((line): unknown => JSON.parse(line));
  }

  private openChannel(): Duplex {
    const channel = this.child.stdio[TASK_CHANNEL];
    if (!(channel instanceof Duplex)) throw new Error('The task has no channel.');
    channel.on('error', () => {});
    let unread = '';
    channel.setEncoding('utf8').on('data', (some: string) => {
      const lines = (unread + some).split('\n');
      unread = lines.pop()!;
      for (const line of lines) this.hear(() => this.answer(JSON.parse(line)));
    });
    return channel;
  }

  private grantEach(heldForMs: number): void {
    const grant = () => this.say({ heldForMs, at: hostMonotonicNow() });
    grant();
    this.granting = setInterval(grant, heldForMs / 4);
    this.child.once('close', () => clearInterval(this.granting));
  }

  private answer(statement: Statement): void {
    this.statements.push(statement);
    if (statement.id !== undefined) this.say(this.onCheckpoint(statement.id));
  }

  private hear(take: () => void): void {
    take();
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }

  private end(code: number | null, signal: NodeJS.Signals | null): EndedTask {
    const said = this.statements.findLast(({ report }) => report !== undefined)?.report;
    const { told } = this;
    return { code, signal, report: said ?? readReport(this.reportFile), told, words: this.output + this.errors };
  }
}

/** Runs a task to its end. */
export function runToEnd(start: TaskStart): Promise<EndedTask> {
  return new StartedTask(start).ended;
}

function readReport(file: string): TaskReport | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
