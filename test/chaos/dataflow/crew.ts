import { Journal } from '@test/support/peers/journal.js';
import { PeerProcess } from '@test/support/peers/peer-process.js';
import type { ImporterSettings } from './import-plan.js';

export interface Importer {
  readonly name: string;
  readonly ip: string;
  readonly process: PeerProcess;
}

/** The processes of the import, as they come and go. */
export class Crew {
  /** Messages of the processes. */
  readonly journal = new Journal();
  /** Processes that ended without being told to, with their last words. */
  readonly deaths: string[] = [];
  readonly #importers = new Map<string, Importer>();
  readonly #joins = new Map<string, Promise<Importer>>();
  readonly #starting = new Set<Importer>();
  readonly #names = new Map<string, string>();
  #count = 0;

  constructor(
    private readonly program: string,
    private readonly common: Omit<ImporterSettings, 'name' | 'ip'>,
  ) {}

  /** Processes that have joined their jobs and live. */
  get all(): readonly Importer[] {
    return [...this.#importers.values()];
  }

  /** Also finds those that are gone. */
  nameOf(ip: string | undefined): string | undefined {
    return ip === undefined ? undefined : this.#names.get(ip);
  }

  /** Resolves when the process of that name has joined its jobs. It may have gone since. */
  async joined(name: string): Promise<Importer> {
    return this.#joins.get(name)!;
  }

  /** Resolves when the new process has joined its jobs. */
  join(): Promise<Importer> {
    const number = (this.#count += 1);
    const [name, ip] = [`importer-${number}`, `10.0.${Math.floor(number / 250)}.${(number % 250) + 1}`];
    this.#names.set(ip, name);
    const joining = this.#start(name, ip);
    this.#joins.set(name, joining);
    return joining;
  }

  /** SIGKILL. */
  async kill({ name, process }: Importer): Promise<void> {
    this.#importers.delete(name);
    await process.kill();
  }

  /** Makes it leave its jobs in order and end. */
  async leave(importer: Importer): Promise<void> {
    await importer.process.call('leave');
    await this.kill(importer);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.all, ...this.#starting].map((importer) => this.kill(importer)));
  }

  async #start(name: string, ip: string): Promise<Importer> {
    const settings: ImporterSettings = { ...this.common, name, ip };
    const command = ['node', '--enable-source-maps', this.program, JSON.stringify(settings)];
    const importer = { name, ip, process: new PeerProcess(name, command, (event) => this.journal.add(event)) };
    this.#starting.add(importer);
    await importer.process.untilReady();
    this.#starting.delete(importer);
    this.#importers.set(name, importer);
    void this.#noteDeath(importer);
    return importer;
  }

  async #noteDeath({ name, process }: Importer): Promise<void> {
    await process.ended;
    if (this.#importers.has(name)) this.deaths.push(`${name} has ended: ${process.lastWords()}`);
  }
}
