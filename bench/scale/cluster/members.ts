import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartOptions, Vitals } from '../child/instance-calls.js';
import type { Instance } from '../instance.js';
import type { Stage } from '../stage.js';
import type { LedgerLine } from './ledger.js';
import { cpuMsOf, watchesBySession } from './server-figures.js';

/** The cluster at one moment. */
export interface Sight {
  readonly serverCpuMs: number;
  readonly members: readonly Vitals[];
}

/** Processes of a cluster, each of which writes a ledger of its own. */
export class Members {
  private readonly members: Instance[] = [];
  private readonly ledgers: string[] = [];

  /** @param directory for the ledgers */
  constructor(
    private readonly stage: Stage,
    private readonly directory: string,
    private readonly job: Omit<StartOptions, 'ip' | 'ledger'>,
  ) {}

  get count(): number {
    return this.members.length;
  }

  /** Starts one more process. Resolves when it has joined all jobs. */
  async join(): Promise<void> {
    const instance = this.stage.fork();
    this.members.push(instance);
    await this.begin(instance);
  }

  /** Ends a member, and starts another one in its place. @param how `kill`: by SIGKILL */
  async replace(index: number, how: 'leave' | 'kill'): Promise<void> {
    const leaver = this.members[index]!;
    await (how === 'kill' ? leaver.process.kill() : leaver.stop());
    const instance = this.stage.fork();
    this.members[index] = instance;
    await this.begin(instance);
  }

  async sight(): Promise<Sight> {
    const [serverCpuMs, members] = await Promise.all([
      cpuMsOf(this.stage.server.pid!),
      Promise.all(this.members.map((member) => member.call('vitals'))),
    ]);
    return { serverCpuMs, members };
  }

  /** Number of watches of each member, in their order. */
  async watches(): Promise<readonly number[]> {
    const bySession = await watchesBySession(this.stage.server);
    const { members } = await this.sight();
    return members.map(({ sessions }) => sessions.reduce((sum, id) => sum + (bySession.get(id) ?? 0), 0));
  }

  /** Lets all members leave in order. */
  async stop(): Promise<void> {
    await Promise.all(this.members.map((member) => member.stop()));
  }

  /** Ledgers of all members, including those that are gone. */
  async ledger(): Promise<readonly LedgerLine[]> {
    const texts = await Promise.all(this.ledgers.map((path) => readFile(path, 'utf8')));
    return texts.flatMap((text) => text.split('\n').filter(Boolean).map(parseLine));
  }

  private async begin(instance: Instance): Promise<void> {
    const number = this.ledgers.length + 1;
    const ledger = join(this.directory, `ledger-${number}`);
    this.ledgers.push(ledger);
    await instance.call('start', { ...this.job, ledger, ip: `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}` });
  }
}

function parseLine(text: string): LedgerLine {
  const line: LedgerLine = JSON.parse(text);
  return line;
}
