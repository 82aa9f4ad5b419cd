import { setTimeout as sleep } from 'node:timers/promises';
import { timeOfPiece, warmUp } from '../scale/machine-speed.js';
import { median } from '../scale/statistics.js';

const PIECES = 40;
const PAUSE_MS = 25;
/** By how much a fixed piece of work may take longer than it needs, while nothing is measured. */
const MOST_SLOWER = 1.3;

/** Tells what others leave of the machine, by a fixed piece of work that is done while nothing is measured. */
export class Machine {
  private readonly slower: number[] = [];
  private fastest = Infinity;

  constructor() {
    warmUp();
  }

  /** True if others had the processors for half of the looks at least: no time can be judged then. */
  get isBusy(): boolean {
    return median(this.slower) > MOST_SLOWER;
  }

  /** Takes a second. To be called between two measurements. */
  async look(): Promise<void> {
    const took: number[] = [];
    for (let piece = 0; piece < PIECES; piece += 1) {
      const begun = performance.now();
      this.fastest = Math.min(this.fastest, timeOfPiece());
      took.push(performance.now() - begun);
      await sleep(PAUSE_MS);
    }
    const slower = median(took) / this.fastest;
    this.slower.push(slower);
    console.log(
      `a fixed piece of work took ${median(took).toFixed(1)} ms, ${slower.toFixed(2)} times of what it needs`,
    );
  }
}
