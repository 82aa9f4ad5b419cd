import { VirtualClock } from '../../../libs/elastic-job/src/testing/index.js';

/** Draws of one seed. The same seed repeats them. */
export class Chance {
  private readonly source: VirtualClock;

  constructor(seed: number) {
    this.source = new VirtualClock({ seed });
  }

  /** In [0, 1). */
  readonly next = (): number => this.source.random();

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  /** True with this probability. */
  is(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.next() * choices.length)]!;
  }

  /** Another source of chance. Draws from it do not change the draws here. */
  fork(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 32));
  }
}
