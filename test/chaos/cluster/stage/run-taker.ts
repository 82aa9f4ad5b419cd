import type { PeerEvent } from '../../../support/peers/journal.js';
import type { Entry, RunStore } from './run-store.js';

/** Writes to the store what Java's handlers tell; they know neither token nor target, so nothing fences them. */
export class RunTaker {
  readonly #open = new Map<string, Entry>();
  #runs = 0;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(private readonly store: RunStore) {}

  /** Takes `begun` and `ended`; what else is told is nobody's run. */
  hear({ peer: worker, event, job, item, at, failed }: PeerEvent): void {
    if (job === undefined || item === undefined) return;
    const key = `${worker} ${job} ${item}`;
    if (event === 'begun') {
      const unknown = { fireTime: null, source: null, token: null, tokenEpoch: 0 };
      const run = `${worker}#${(this.#runs += 1)}`;
      const entry: Entry = { step: 'begin', run, job, item, ...unknown, worker, begunAt: at, at };
      this.#open.set(key, entry);
      this.#write(entry);
    }
    const begun = this.#open.get(key);
    if (event !== 'ended' || begun === undefined) return;
    this.#open.delete(key);
    this.#write({ ...begun, step: failed == null ? 'end' : 'abort', at });
  }

  /** Resolves when everything that was heard is written. */
  async done(): Promise<void> {
    await this.#writing;
  }

  #write(entry: Entry): void {
    this.#writing = this.#writing.then(() => this.store.write(entry));
  }
}
