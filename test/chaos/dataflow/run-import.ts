import { setTimeout as delay } from 'node:timers/promises';
import type { TestServer } from '@test/support/faults/index.js';
import type { Seeded } from '@test/support/seeded.js';
import { TreeWatch } from '../cluster/stage/tree-watch.js';
import { Crew, type Importer } from './crew.js';
import { IMPORT, type ImportPlan, REPORT, REPORT_ITEMS, type Step } from './import-plan.js';
import { ImportStore } from './import-store.js';
import { type Kill, momentsOf, planKills } from './kills.js';
import { Ledger } from './ledger.js';

export interface ImportOptions {
  readonly program: string;
  readonly server: TestServer;
  readonly plan: ImportPlan;
  readonly kills: number;
  readonly chance: Seeded;
  readonly sessionTimeoutMs: number;
  readonly limitMs: number;
}

const PROCESSES = 5;
const SETTLE_LIMIT_MS = 60_000;

/** One import under kills, from its trigger until the report is there and all processes have left. */
export class ImportRun {
  readonly ledger: Ledger;
  /** Number of processes killed at each moment. */
  readonly killed = new Map<string, number>();
  /** Runs that were open in killed processes. */
  hits = 0;
  readonly #pending: Kill[];
  readonly #dying = new Set<string>();
  readonly #replacing = new Set<Promise<unknown>>();
  #crew!: Crew;
  #tree!: TreeWatch;

  private constructor(private readonly options: ImportOptions) {
    const { plan, kills, chance } = options;
    this.ledger = new Ledger(plan);
    this.#pending = planKills(kills, plan, chance);
  }

  /** @returns the run with its faults */
  static async of(options: ImportOptions): Promise<{ readonly run: ImportRun; readonly faults: readonly string[] }> {
    const run = new ImportRun(options);
    const store = await ImportStore.start((step) => run.#take(step));
    try {
      return { run, faults: await run.#run(store.url) };
    } finally {
      await run.#crew?.stop();
      await run.#tree?.stop();
      await store.stop();
    }
  }

  async #run(store: string): Promise<readonly string[]> {
    const { program, server, plan, sessionTimeoutMs, limitMs } = this.options;
    const [namespace, servers] = ['dataflow', server.connect];
    this.#crew = new Crew(program, { servers, namespace, sessionTimeoutMs, store, plan });
    const jobs = [
      { name: IMPORT, items: plan.items },
      { name: REPORT, items: REPORT_ITEMS },
    ];
    this.#tree = await TreeWatch.open(servers, namespace, jobs, this.#crew);
    for (let count = 0; count < PROCESSES; count += 1) await this.#crew.join();
    await this.#tree.untilShared(SETTLE_LIMIT_MS);
    // Counts only runs that begin from then on.
    await this.#tree.untilThere(IMPORT, `dependents/${REPORT}`, SETTLE_LIMIT_MS);
    const fireTime = Date.now();
    await Promise.all(this.#crew.all.map(({ process }) => process.call('tick', { fireTime })));
    try {
      await this.#crew.journal.until('the report is there', () => this.ledger.isReported, limitMs);
    } catch (error) {
      return [String(error), ...this.ledger.faults(), ...this.#crew.deaths];
    }
    return this.#end();
  }

  /**
   * Makes all processes leave after the sessions of the dead have ended, when any repeated run has had its time to
   * come.
   */
  async #end(): Promise<readonly string[]> {
    while (this.#replacing.size > 0) await Promise.all(this.#replacing);
    await this.#tree.untilShared(SETTLE_LIMIT_MS);
    await delay(this.options.sessionTimeoutMs);
    await Promise.all(this.#crew.all.map((importer) => this.#crew.leave(importer)));
    const left = await this.#tree.litter(SETTLE_LIMIT_MS);
    return [...this.ledger.faults(), ...left.map(({ path, text }) => `${path} is left: ${text}`), ...this.#crew.deaths];
  }

  async #take(step: Step): Promise<boolean> {
    const worker = await this.#crew.joined(step.worker);
    // The process is to die at this step, so none of its later steps gets an answer.
    if (this.#dying.has(worker.name)) {
      await worker.process.ended;
      return false;
    }
    const isAccepted = this.ledger.take(step);
    this.#crew.journal.nudge();
    const kill = this.#dueAt(step);
    if (kill !== undefined) await this.#carryOut(kill, worker);
    return isAccepted;
  }

  #dueAt({ step }: Step): Kill | undefined {
    const moments = momentsOf(this.options.plan);
    const index = this.#pending.findIndex(
      ({ moment, due }) => due <= this.ledger.progress && moments[moment]!.step === step,
    );
    return index < 0 ? undefined : this.#pending.splice(index, 1)[0];
  }

  /** Resolves when the victim may have its answer, if it still can. */
  async #carryOut({ moment }: Kill, victim: Importer): Promise<void> {
    const { withinMs } = momentsOf(this.options.plan)[moment]!;
    this.#dying.add(victim.name);
    const replaced = this.#replace(moment, victim, (withinMs ?? 0) * this.options.chance.next())
      .catch((error: unknown) => void this.#crew.deaths.push(String(error)))
      .finally(() => this.#replacing.delete(replaced));
    this.#replacing.add(replaced);
    if (withinMs === undefined) await replaced;
  }

  async #replace(moment: string, victim: Importer, inMs: number): Promise<void> {
    if (inMs > 0) await delay(inMs);
    this.hits += this.ledger.kill(victim.name);
    this.killed.set(moment, (this.killed.get(moment) ?? 0) + 1);
    await this.#crew.kill(victim);
    this.#tell();
    await this.#crew.join();
  }

  #tell(): void {
    const kills = [...this.killed.values()].reduce((sum, count) => sum + count, 0);
    if (kills % 10 === 0) console.info(`${kills} kills, ${this.ledger.rows} rows`);
  }
}
