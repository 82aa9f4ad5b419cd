import type { PeerEvent } from '@test/support/peers/journal.js';
import type { RunLine } from '../check/index.js';
import { LineLog } from './line-log.js';
import type { RunStore } from './run-store.js';

/**
 * Writes the messages of Java's handlers to log and store. They know neither token nor target, so nothing fences them.
 */
export class RunTaker {
  readonly #open = new Map<string, RunLine>();
  readonly #log: LineLog;
  #runs = 0;
  #writing: Promise<unknown> = Promise.resolve();

  /** @param file its log */
  constructor(
    private readonly store: RunStore,
    file: string,
  ) {
    this.#log = new LineLog(file);
  }

  /** Takes `begun` and `ended`. Other messages belong to no run. */
  hear({ peer: worker, event, job, item, at, failed }: PeerEvent): void {
    if (job === undefined || item === undefined) return;
    const key = `${worker} ${job} ${item}`;
    if (event === 'begun') {
      const unknown = { fireTime: null, source: null, token: null, tokenEpoch: 0 };
      const run = `${worker}#${(this.#runs += 1)}`;
      const line: RunLine = { step: 'begin', run, job, item, ...unknown, worker, begunAt: at, at };
      this.#open.set(key, line);
      this.#write(line);
    }
    const begun = this.#open.get(key);
    if (event !== 'ended' || begun === undefined) return;
    this.#open.delete(key);
    this.#write({ ...begun, step: failed == null ? 'end' : 'fail', at });
  }

  /** Resolves when all messages are written. No message may come after this call. */
  async done(): Promise<void> {
    await this.#writing;
    await this.#log.close();
  }

  #write(line: RunLine): void {
    this.#writing = this.#writing.then(() => this.#writeNext(line));
  }

  async #writeNext(line: RunLine): Promise<void> {
    await this.#log.append(line);
    if (line.step !== 'fail') await this.store.write(line);
  }
}
