import { type Clock, HeldBack } from '../../clock/index.js';

/** Milliseconds between two pieces of news of one kind about one job. */
const WINDOW_MS = 60_000;

/**
 * News of a process about its jobs' settings, which anybody who writes to the registry can change a thousand times a
 * second: the first of a kind at once, and at the end of the following minute what is true and untold by then.
 */
export class SettingsNews {
  private readonly heldBack: HeldBack<() => void>;

  constructor(private readonly clock: Pick<Clock, 'monotonicNow' | 'setTimer' | 'wallNow'>) {
    this.heldBack = new HeldBack(clock, { windowMs: WINDOW_MS, join: (_, next) => next, tell: (tell) => tell() });
  }

  /** The present instant, in milliseconds since the epoch. */
  get now(): number {
    return this.clock.wallNow();
  }

  /** @param tell tells what is news when it is called, or nothing */
  add(jobName: string, kind: string, tell: () => void): void {
    this.heldBack.add(`${jobName}/${kind}`, tell);
  }

  /** Forgets a job that has left this process. */
  forget(jobName: string): void {
    this.heldBack.forget((name) => name.startsWith(`${jobName}/`));
  }

  /** Tells what is held back, and holds nothing back any more. */
  end(): void {
    this.heldBack.end();
  }
}
