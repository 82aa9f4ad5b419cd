// npm run verify: runs each suite whose inputs have changed since its last green run, and records that it is green now.
import { readFileSync } from 'node:fs';
import { type Suite, SUITES } from '../suites.js';
import { changedSince, headOf, withTreeOf } from './changes.js';
import { type Inputs, inputsOf } from './inputs.js';
import { strangePackages } from './installed.js';
import { installNeeds } from './needs.js';
import { parseOptions, USAGE, type VerifyOptions } from './options.js';
import { addDrawn, addNeeded, decide, type Decision, runs, trusts, unknownVerdicts } from './plan.js';
import { type Done, runAll } from './run-all.js';
import { endAll } from './run-suite.js';
import { formatList, formatTable } from './table.js';
import { Tree, VERDICTS } from './tree.js';
import { readVerdicts, recordVerdict } from './verdicts.js';

/** Inputs by the names of suites. */
type AllInputs = ReadonlyMap<string, Inputs>;

/** Time for suites that CI runs although their verdicts hold. */
const DRAWN_SECONDS = 480;
/** CI takes no run that is longer. A host that others keep busy takes up to twice the usual time. */
const MOST_SECONDS = 5_100;
/** Files or packages that explain something, at most. */
const SHOWN = 3;

const root = process.cwd();
const SIGNALS = [
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const;
for (const [signal, code] of SIGNALS) process.on(signal, () => cancel(code));
try {
  process.exitCode = await main(parseOptions(process.argv.slice(2)));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function cancel(code: number): never {
  endAll();
  process.exit(code);
}

async function main(options: VerifyOptions): Promise<number> {
  if (options.isHelp) {
    console.log(USAGE);
    return 0;
  }
  checkRepository();
  const tree = Tree.at(root);
  const inputs = await inputsOfAll(options.suites, tree);
  const decisions = await decideAll(options, inputs);
  if (!options.isList) return run(decisions, tree, inputs, options);
  console.log(formatList(decisions, options.against === undefined ? reasonsOf(decisions, inputs) : new Map()));
  return 0;
}

/** @throws if verdicts of this clone would mean nothing */
function checkRepository(): void {
  const packages = strangePackages(root);
  const some = packages.slice(0, SHOWN).join(', ');
  if (packages.length > 0) throw new Error(`node_modules is not as package-lock.json says (${some}). Run npm ci.`);
  const unknown = unknownVerdicts(SUITES, readVerdicts(root));
  if (unknown.length > 0) throw new Error(`${VERDICTS} has lines of no suite: ${unknown.join(', ')}. Remove them.`);
  const [, wanted] = /node-version: (\d+)/.exec(readFileSync('.github/workflows/ci.yml', 'utf8')) ?? [];
  const [major] = process.versions.node.split('.');
  if (major !== wanted)
    console.warn(`This is Node ${major}. CI has Node ${wanted}, and will not accept these verdicts.`);
}

async function decideAll(
  { suites, isForced, against, isCi }: VerifyOptions,
  inputs: AllInputs,
): Promise<readonly Decision[]> {
  const digests = new Map([...inputs].map(([name, { digest }]) => [name, digest]));
  if (isForced)
    return addNeeded(
      suites.map((suite) => runs(suite, 'asked for')),
      SUITES,
    );
  if (against !== undefined) return addNeeded(await compare(suites, inputs, against), SUITES);
  const decisions = decide(suites, digests, readVerdicts(root));
  return addNeeded(isCi ? addDrawn(decisions, headOf(root), DRAWN_SECONDS) : decisions, SUITES);
}

async function run(
  decisions: readonly Decision[],
  tree: Tree,
  inputs: AllInputs,
  { isIsolated, isCi }: VerifyOptions,
): Promise<number> {
  const began = performance.now();
  const chosen = decisions.filter(({ kind }) => kind === 'run').map(({ suite }) => suite);
  installNeeds(chosen);
  const done = await runAll(chosen, { tree, inputs, isIsolated, onGreen: (one) => record(one, inputs) });
  const seconds = Math.round((performance.now() - began) / 1_000);
  const isLate = isCi && seconds > MOST_SECONDS;

  const repeated = done.flatMap(({ suite, repeated: files }) => files.map((file) => `${suite.name}: ${file}`));
  console.log(`\n== test files that had to run a second time\n${repeated.join('\n') || 'none'}`);
  const trusted = decisions.filter(({ kind }) => kind === 'trusted');
  console.log(`\n== verdicts\n${formatTable(done, trusted)}`);
  const green = done.filter(({ isGreen }) => isGreen).length;
  const [failed, left] = [done.length - green, chosen.length - done.length];
  console.log(`\n${seconds} s${isLate ? `: FAILED, since CI takes no run of more than ${MOST_SECONDS} s` : ''}`);
  console.log(`${green} passed, ${failed} failed, ${left} skipped`);
  return failed + left === 0 && !isLate ? 0 : 1;
}

/** Records a verdict, unless somebody has changed an input while the suite ran. */
async function record({ suite, seconds }: Done, inputs: AllInputs): Promise<void> {
  const now = await inputsOf(suite, Tree.at(root)).catch(() => undefined);
  const before = inputs.get(suite.name) ?? now;
  if (now === undefined || before?.digest !== now.digest)
    return console.log(`${suite.name} is green, but its inputs have changed meanwhile. Its verdict is not recorded.`);
  recordVerdict(root, suite, { digest: now.digest, date: new Date().toISOString().slice(0, 10), seconds });
}

async function inputsOfAll(suites: readonly Suite[], tree: Tree): Promise<AllInputs> {
  const all = new Map<string, Inputs>();
  for (const suite of suites) all.set(suite.name, await inputsOf(suite, tree));
  return all;
}

/** Takes the inputs of a revision for those of the last green runs. */
async function compare(suites: readonly Suite[], inputs: AllInputs, revision: string): Promise<readonly Decision[]> {
  return withTreeOf(root, revision, async (tree) => {
    const decisions: Decision[] = [];
    for (const suite of suites) {
      // A glob of today may name no file of then. The suite is another one, and runs.
      const then = await inputsOf(suite, tree).catch(() => undefined);
      const isSame = then?.digest === inputs.get(suite.name)?.digest;
      decisions.push(
        isSame ? trusts(suite, `same inputs as ${revision}`) : runs(suite, `inputs differ from ${revision}`),
      );
    }
    return decisions;
  });
}

/** Names the files of which something counts that have changed since the verdict was committed. */
function reasonsOf(decisions: readonly Decision[], inputs: AllInputs): ReadonlyMap<string, string> {
  const verdicts = readVerdicts(root);
  const reasons = new Map<string, string>();
  for (const { kind, suite } of decisions) {
    const verdict = verdicts[suite.name];
    const counted = inputs.get(suite.name)?.counted;
    if (kind !== 'run' || verdict === undefined || counted === undefined) continue;
    const files = changedSince(root, verdict.digest)?.filter((file) => counted.has(file)) ?? [];
    const rest = files.length > SHOWN ? [`${files.length - SHOWN} more`] : [];
    if (files.length > 0) reasons.set(suite.name, [...files.slice(0, SHOWN), ...rest].join(', '));
  }
  return reasons;
}
