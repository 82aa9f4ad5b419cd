// npm run model [-- --mutants | --proofs] [--faults N] [--only PART-OF-A-NAME]
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MODEL, nameAt } from './actions.js';

/** One run of the verifier. */
interface Check {
  readonly name: string;
  /** An LTL formula of the model; undefined for its assertions. */
  readonly formula?: 'runsForEver' | 'orphansAreTaken';
  readonly faults: number;
  /** The mechanism that is taken away; a counterexample is expected. */
  readonly without?: string;
}

const PROOFS: readonly Check[] = [
  { name: 'one holder, one begin per target, no settled item repeated', faults: 2 },
  { name: 'a due item runs again and again', formula: 'runsForEver', faults: 1 },
  { name: 'an orphan is taken', formula: 'orphansAreTaken', faults: 1 },
];

const MUTANTS: readonly Check[] = [
  { name: 'a record from the future blocks everybody', without: 'NO_FUTURE_RULE', formula: 'runsForEver', faults: 1 },
  { name: 'a ticker waits until a clock is where it was', without: 'NO_STEP_RULE', formula: 'runsForEver', faults: 2 },
  { name: 'a lease looks at the current session', without: 'NO_OWN_SESSION', faults: 2 },
  { name: 'a refused settle is given up', without: 'NO_SETTLE_RETRY', formula: 'runsForEver', faults: 1 },
  { name: 'marks of the living are not compared', without: 'NO_MARK_CHECK', formula: 'runsForEver', faults: 1 },
  { name: 'a begin does not compare the record', without: 'NO_BEGIN_CAS', faults: 1 },
  { name: 'a sweep does not check its term', without: 'NO_TERM_GUARD', faults: 2 },
];

/** The verifier's verdict. */
interface Verdict {
  readonly isBroken: boolean;
  readonly states: number;
  readonly seconds: number;
  readonly trace: readonly string[];
}

const { values } = parseArgs({
  options: {
    mutants: { type: 'boolean', default: false },
    proofs: { type: 'boolean', default: false },
    faults: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});

process.exitCode = run();

function run(): number {
  for (const tool of ['spin', 'gcc']) requireTool(tool);
  const all = values.mutants ? MUTANTS : values.proofs ? PROOFS : [...PROOFS, ...MUTANTS];
  const checks = all.filter(({ name, without = '' }) => `${name} ${without}`.includes(values.only));
  let failed = checks.length === 0 ? 1 : 0;
  for (const check of checks) {
    const verdict = verify(check);
    const isExpected = verdict.isBroken === (check.without !== undefined);
    if (!isExpected) failed += 1;
    console.log(line(check, verdict, isExpected));
    if (verdict.isBroken && !isExpected) console.log(verdict.trace.map((step) => `    ${step}`).join('\n'));
  }
  console.log(failed === 0 ? 'The model says what is expected of it.' : `${failed} unexpected verdicts.`);
  return failed === 0 ? 0 : 1;
}

function line({ name, without }: Check, { isBroken, states, seconds }: Verdict, isExpected: boolean): string {
  const verdict = isBroken ? 'counterexample' : 'holds';
  const figures = `${states.toLocaleString('en')} states, ${seconds.toFixed(1)} s`;
  return `${isExpected ? 'ok  ' : 'FAIL'} ${without ?? 'proof'}: ${name}: ${verdict} (${figures})`;
}

/**
 * Each check has a directory of its own, because the verifier is a program that is generated, compiled and run there.
 */
function verify(check: Check): Verdict {
  const directory = mkdtempSync(join(tmpdir(), 'model-'));
  const call = (tool: string, ...options: string[]) =>
    execFileSync(tool, options, {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  try {
    copyFileSync(MODEL, join(directory, 'model.pml'));
    const switches = switchesOf(check);
    call('spin', ...switches, '-a', 'model.pml');
    const isLiveness = check.formula !== undefined;
    // A counterexample to an assertion is searched for level by level, which finds a short one.
    const mode = isLiveness ? ['-DNFAIR=3'] : check.without === undefined ? ['-DNOCLAIM'] : ['-DNOCLAIM', '-DBFS'];
    call('gcc', '-w', '-O2', '-DNOREDUCE', '-DMEMLIM=6000', ...mode, '-o', 'pan', 'pan.c');
    const began = performance.now();
    const report = call('./pan', '-m2000000', ...(isLiveness ? ['-a', '-f', '-N', check.formula] : ['-E']));
    return { ...judge(report), seconds: (performance.now() - began) / 1_000, trace: traceOf(report, call, switches) };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function switchesOf({ faults, formula, without }: Check): string[] {
  const names = [...(formula === undefined ? ['SAFETY'] : []), ...(without === undefined ? [] : [without])];
  return [...names.map((name) => `-D${name}`), `-DFAULTS=${values.faults ?? faults}`];
}

function judge(report: string): Pick<Verdict, 'isBroken' | 'states'> {
  const errors = /errors: (\d+)/.exec(report)?.[1];
  const states = /([\d.e+]+) states, stored/.exec(report)?.[1];
  const isComplete = !/max search depth too small|Search not completed|out of memory/.test(report);
  // Spin stops a search only at the first error.
  if (errors === undefined || states === undefined || (errors === '0' && !isComplete)) {
    throw new Error(`The verifier has not ended its search:\n${report}`);
  }
  return { isBroken: errors !== '0', states: Number(states) };
}

/** The actions that lead to the error, one a line. */
function traceOf(report: string, call: (tool: string, ...options: string[]) => string, switches: string[]): string[] {
  if (!report.includes('wrote model.pml.trail')) return [];
  const source = readFileSync(MODEL, 'utf8');
  const steps = call('spin', '-t', '-p', ...switches, 'model.pml').split('\n');
  const told = steps.flatMap((step) => {
    if (step.includes('START OF CYCLE')) return ['and then for ever:'];
    const found = /\((\w+):\d+\) model\.pml:(\d+) /.exec(step);
    const action = found && nameAt(source, Number(found[2]));
    return found && action !== undefined ? [`${found[1]} ${/proc\s+(\d+)/.exec(step)?.[1]}: ${action}`] : [];
  });
  return told.filter((step, index) => step !== told[index - 1]);
}

function requireTool(tool: string): void {
  try {
    execFileSync(tool, [tool === 'spin' ? '-V' : '--version'], { stdio: 'ignore' });
  } catch (cause) {
    throw new Error(`The model needs "${tool}", which cannot be run: on Debian, apt-get install ${tool}.`, { cause });
  }
}
