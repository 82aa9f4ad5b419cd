import { MachineSpeed } from '../../bench/scale/machine-speed.js';
import type { Suite } from '../suites.js';
import { DeclaredCopy } from './copy.js';
import type { Inputs } from './inputs.js';
import { endAll, type Outcome, runSuite } from './run-suite.js';
import type { Tree } from './tree.js';

/** A suite that has run, and the processor time of a fixed piece of work beside it, in milliseconds. */
export interface Done extends Outcome {
  /** Empty for a suite that ran beside others. */
  readonly pieces: readonly number[];
}

export interface AllOptions {
  readonly tree: Tree;
  readonly inputs: ReadonlyMap<string, Inputs>;
  /** True to give each suite a copy of the repository with nothing but its declared inputs. */
  readonly isIsolated: boolean;
  /** Called for each suite that ends green. */
  readonly onGreen: (done: Done) => Promise<void>;
}

/**
 * Runs suites one after the other. Those that only compute run beside the others meanwhile, on the processor time that
 * these leave. A failure does not stop the others, but that of a suite which is always run: the rest would fail by it.
 */
export async function runAll(suites: readonly Suite[], options: AllOptions): Promise<readonly Done[]> {
  const waiting = suites.filter(({ onlyComputes }) => !onlyComputes);
  const computing = suites.filter(({ onlyComputes }) => onlyComputes);
  const speed = MachineSpeed.watch();
  const stop = new AbortController();
  const unseen: Done[] = [];
  const show = () => {
    for (const done of unseen.splice(0)) console.log(`\n== output of ${titleOf(done.suite)}\n${done.output}`);
  };
  try {
    // Alone they are work like any other, and their progress is of interest.
    const besides = waiting.length === 0 ? [] : computing;
    const beside = runInTurn(besides, options, { stop, onDone: (done) => void unseen.push(done) });
    const front = await runInTurn(waiting.length === 0 ? computing : waiting, options, { stop, speed, onDone: show });
    if (!stop.signal.aborted && besides.length > 0) console.log('\n== waiting for what runs beside the others');
    const others = await beside;
    show();
    return [...front, ...others];
  } finally {
    speed.stop();
  }
}

/** Suites of which one runs at a time. */
interface Lane {
  readonly stop: AbortController;
  /** Undefined for suites that run beside others, and whose output is kept. */
  readonly speed?: MachineSpeed;
  readonly onDone: (done: Done) => void;
}

async function runInTurn(
  suites: readonly Suite[],
  { tree, inputs, isIsolated, onGreen }: AllOptions,
  { stop, speed, onDone }: Lane,
): Promise<readonly Done[]> {
  const all: Done[] = [];
  const copy = isIsolated ? DeclaredCopy.of(tree) : undefined;
  try {
    for (const [index, suite] of suites.entries()) {
      const isApart = copy !== undefined && !suite.always;
      if (isApart) copy.fill(suite, inputs.get(suite.name)!.needed);
      if (speed) console.log(`\n== ${titleOf(suite)} (${index + 1} of ${suites.length}, about ${suite.seconds} s)`);
      speed?.take();
      const outcome = await runSuite(suite, { cwd: isApart ? copy.folder : tree.root, isBeside: speed === undefined });
      const done = { ...outcome, pieces: speed?.take() ?? [] };
      all.push(done);
      if (done.isGreen) await onGreen(done);
      onDone(done);
      if (suite.always && !done.isGreen) {
        stop.abort();
        endAll();
      }
      if (stop.signal.aborted) break;
    }
  } finally {
    copy?.remove();
  }
  return all;
}

function titleOf({ name, shows }: Suite): string {
  return `${name}: ${shows}`;
}
