import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from '../../../libs/elastic-job/src/cloud/process/process-table.js';
import { bundle } from '../../support/bundle/bundle.js';
import { type ClientProcess, forkClient, startZooKeeperServer } from '../../support/faults/index.js';
import { type ChaosJob, SCHEDULER_VARIABLE } from './chaos-settings.js';
import { judge, type Line, type Verdict } from './judge.js';

const SCHEDULERS = ['A', 'B', 'C'];
const EVERY_MS = 4_000;
const JOBS: readonly ChaosJob[] = ['billing', 'orders', 'reports'].map((name) => ({
  name,
  cron: '0/4 * * * * ?',
  items: 3,
}));
const KILL_EACH_MS = 5_000;
const SESSION_TIMEOUT_MS = 2_000;
const TICK_MS = 200;
/** By then everything that is owed has been made up for. */
const QUIET_MS = 60_000;
/** Tasks of a killed scheduler are gone by then. */
const LONGEST_DEATH_MS = 1_000;

export interface TaskChaos extends Verdict {
  readonly kills: number;
  /** How many of the killed schedulers had tasks at that moment. */
  readonly killedAtWork: number;
}

/** Three schedulers over a real ZooKeeper, of which one is killed every 5 s, and a ledger that their tasks write. */
export async function runTaskChaos(ms: number, tell: (text: string) => void = () => {}): Promise<TaskChaos> {
  const server = await startZooKeeperServer({ settings: { tickTime: TICK_MS } });
  const directory = await mkdtemp(join(tmpdir(), 'task-chaos-'));
  const programs = await bundle({
    scheduler: 'test/cloud/chaos/scheduler.fixture.ts',
    supervisor: 'libs/elastic-job/src/cloud/process/supervisor/task-supervisor.ts',
  });
  const ledger = join(directory, 'ledger');
  await writeFile(ledger, '');
  const stage = new ChaosStage((scheduler) =>
    forkClient(programs.url('scheduler'), [
      JSON.stringify({
        scheduler,
        servers: server.connect,
        namespace: 'task-chaos',
        supervisor: programs.url('supervisor').href,
        ledger,
        program: fileURLToPath(new URL('./counting-task.fixture.cjs', import.meta.url)),
        jobs: JOBS,
        sessionTimeoutMs: SESSION_TIMEOUT_MS,
      }),
    ]),
  );
  try {
    await Promise.all(SCHEDULERS.map((name) => stage.start(name)));
    const from = firstFireTimeAfter(Date.now());
    const deadline = Date.now() + ms;
    for (let turn = 0; Date.now() < deadline; turn += 1) {
      await sleep(KILL_EACH_MS);
      await stage.killAndStart(SCHEDULERS[turn % SCHEDULERS.length]!);
      if (turn % 12 === 11) tell(`${stage.killed.size} killed, ${Math.round((deadline - Date.now()) / 1_000)} s to go`);
    }
    const until = firstFireTimeAfter(Date.now()) - EVERY_MS;
    const span = { from, until, everyMs: EVERY_MS };
    const judged = async () => judge(await linesOf(ledger), JOBS, stage.killed, span);
    for (const quiet = Date.now() + QUIET_MS; Date.now() < quiet && isOpen(await judged());) await sleep(1_000);
    await stage.leave();
    const { violations, ...verdict } = await judged();
    return {
      ...verdict,
      violations: [...violations, ...stage.survivors],
      kills: stage.killed.size,
      killedAtWork: stage.killedAtWork,
    };
  } finally {
    await stage.stop();
    await server.stop();
    await programs.remove();
    await rm(directory, { recursive: true });
  }
}

class ChaosStage {
  /** When each was killed. */
  readonly killed = new Map<string, number>();
  /** A sentence for each scheduler that had tasks a second after its death. */
  readonly survivors: string[] = [];
  killedAtWork = 0;
  private readonly running = new Map<string, { readonly scheduler: string; readonly process: ClientProcess }>();
  private starts = 0;

  constructor(private readonly fork: (scheduler: string) => ClientProcess) {}

  async start(name: string): Promise<void> {
    const scheduler = `${name}${(this.starts += 1)}`;
    const process = this.fork(scheduler);
    this.running.set(name, { scheduler, process });
    await process.receive((message) => message === 'ready', 60_000);
  }

  async killAndStart(name: string): Promise<void> {
    const { process, scheduler } = this.running.get(name)!;
    if (processesWith(SCHEDULER_VARIABLE, scheduler).length > 0) this.killedAtWork += 1;
    this.killed.set(scheduler, Date.now());
    await process.kill();
    const starting = this.start(name);
    await sleep(Math.max(0, this.killed.get(scheduler)! + LONGEST_DEATH_MS - Date.now()));
    const left = processesWith(SCHEDULER_VARIABLE, scheduler);
    if (left.length > 0) this.survivors.push(`survivor: ${left.length} processes of ${scheduler}`);
    await starting;
  }

  async leave(): Promise<void> {
    for (const { process } of this.running.values()) process.send('leave');
    await Promise.all([...this.running.values()].map(({ process }) => process.ended));
    this.running.clear();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.running.values()].map(({ process }) => process.kill()));
  }
}

/** Something may still be made up for. */
function isOpen({ violations }: Verdict): boolean {
  return violations.some((text) => text.startsWith('lost'));
}

function firstFireTimeAfter(ms: number): number {
  return Math.floor(ms / EVERY_MS + 1) * EVERY_MS;
}

async function linesOf(ledger: string): Promise<readonly Line[]> {
  const text = await readFile(ledger, 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}
