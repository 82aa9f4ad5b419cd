import { median, percentile } from './statistics.js';

const WARM_UP_PIECES = 60;
const STEPS = 1_000;
/** The work takes some milliseconds, so it costs about a hundredth of one processor. */
const PAUSE_MS = 400;

/**
 * By how much the fixed piece of work may be slower than at its fastest. Others on the same processors make it slower
 * by 80 to 100 %. Its own variation is below 20 %.
 */
const MOST_SLOWER = 0.3;
/** Share of the pieces that must be that fast. A few slow seconds are enough to spoil a p99. */
const LEAST_QUICK = 0.75;

/**
 * Watches how fast the processors are, by a fixed piece of work. A host that lends them to others as well halves their
 * speed, without any sign of it in this machine's load.
 */
export class MachineSpeed {
  private taken: number[] = [];
  private readonly timer: NodeJS.Timeout;

  private constructor() {
    this.timer = setInterval(() => this.sample(), PAUSE_MS);
  }

  /** Starts to watch, until `stop`. */
  static watch(): MachineSpeed {
    warmUp();
    return new MachineSpeed();
  }

  /** Processor time of each piece since the last call, in milliseconds. At least one. */
  take(): readonly number[] {
    this.sample();
    const { taken } = this;
    this.taken = [];
    return taken;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private sample(): void {
    this.taken.push(timeOfPiece());
  }
}

/** Compiles the piece, before its first time counts. */
export function warmUp(): void {
  for (let n = 0; n < WARM_UP_PIECES; n += 1) doPiece();
}

/** Processor time of one piece, in milliseconds: a piece may have to wait for what is measured. */
export function timeOfPiece(): number {
  const before = process.cpuUsage();
  doPiece();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The time of the fastest pieces. One in a hundred is left out, as a clock may have erred. */
export function fastestOf(pieces: readonly number[]): number {
  return percentile(pieces, 0.01);
}

/** By which part of the fastest time the pieces were slower in the middle. @param fastest that of the whole run */
export function slowerThan(fastest: number, pieces: readonly number[]): number {
  return median(pieces) / fastest - 1;
}

/**
 * True if the processors were too slow, while the pieces ran, to judge a figure that falls short.
 * @param fastest as of `slowerThan`
 */
export function isSlow(fastest: number, pieces: readonly number[]): boolean {
  return percentile(pieces, LEAST_QUICK) / fastest - 1 > MOST_SLOWER;
}

/** Like a trigger's work: short texts, records and tables that do not live long. */
function doPiece(): void {
  for (let step = 0; step < STEPS; step += 1) {
    const { path }: { path: string } = JSON.parse(JSON.stringify({ path: `/job-${step}/sharding`, step }));
    const table = new Map<string, number>();
    for (let item = 0; item < 10; item += 1) table.set(`${path}/${item}`, item);
    if (table.size !== 10) throw new Error(`The table has ${table.size} entries.`);
  }
}
