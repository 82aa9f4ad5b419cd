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
 * Runs suites one after the other: first what is always run, then the others. If one of the first fails, the rest would
 * fail by it and is left out. Suites that only compute run beside the others, on the processor time that these leave.
 */
export async function runAll(suites: readonly Suite[], options: AllOptions): Promise<readonly Done[]> {
  const speed = MachineSpeed.watch();
  const first = suites.filter(({ always }) => always);
  const rest = suites.filter(({ always }) => !always);
  try {
    const done = await runInTurn(first, options, { speed, stopsAtFailure: true });
    if (done.some(({ isGreen }) => !isGreen)) return done;
    return [...done, ...(await runTogether(rest, options, speed))];
  } finally {
    speed.stop();
  }
}

async function runTogether(
  suites: readonly Suite[],
  options: AllOptions,
  speed: MachineSpeed,
): Promise<readonly Done[]> {
  const waiting = suites.filter(({ onlyComputes }) => !onlyComputes);
  const computing = suites.filter(({ onlyComputes }) => onlyComputes);
  // Alone they are work like any other, and their progress is of interest.
  if (waiting.length === 0) return runInTurn(computing, options, { speed });
  const unseen: Done[] = [];
  const show = () => {
    for (const done of unseen.splice(0)) console.log(`\n== output of ${titleOf(done.suite)}\n${done.output}`);
  };
  const beside = runInTurn(computing, options, { onDone: (done) => void unseen.push(done) });
  const front = runInTurn(waiting, options, { speed, onDone: show }).then((done) => {
    if (computing.length > 0) console.log('\n== waiting for what runs beside the others');
    return done;
  });
  try {
    return (await Promise.all([front, beside])).flat();
  } catch (error) {
    endAll();
    throw error;
  } finally {
    show();
  }
}

/** Suites of which one runs at a time. */
interface Lane {
  /** Undefined for suites that run beside others. Their output is kept. */
  readonly speed?: MachineSpeed;
  readonly stopsAtFailure?: boolean;
  readonly onDone?: (done: Done) => void;
}

async function runInTurn(
  suites: readonly Suite[],
  { tree, inputs, isIsolated, onGreen }: AllOptions,
  { speed, stopsAtFailure = false, onDone }: Lane,
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
      onDone?.(done);
      if (stopsAtFailure && !done.isGreen) break;
    }
  } finally {
    copy?.remove();
  }
  return all;
}

function titleOf({ name, shows }: Suite): string {
  return `${name}: ${shows}`;
}
