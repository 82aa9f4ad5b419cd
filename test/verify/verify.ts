// npm run verify: runs each suite whose inputs have changed since its last green run, and records that it is green now.
import { parseArgs } from 'node:util';
import { type Suite, SUITES } from '../suites.js';
import { changedSince, headOf, withTreeOf } from './changes.js';
import { type Inputs, inputsOf } from './inputs.js';
import { strangePackages } from './installed.js';
import { installNeeds } from './needs.js';
import { addDrawn, addNeeded, decide, type Decision, type Digests, runs, unknownVerdicts } from './plan.js';
import { type Done, runAll } from './run-all.js';
import { endAll } from './run-suite.js';
import { formatList, formatTable } from './table.js';
import { Tree, VERDICTS } from './tree.js';
import { readVerdicts, recordVerdict } from './verdicts.js';

const USAGE = `npm run verify [-- OPTIONS]
Runs each suite whose inputs have changed since its last green run, and records the new verdicts in
${VERDICTS}. Commit that file with the change.
  --list          says what would run and why, and runs nothing
  --all           runs every suite
  --only A,B      runs these suites, also if their verdicts hold
  --against REV   runs each suite whose inputs differ from those of a revision
  --isolated      gives each suite a copy of the repository with nothing but its declared inputs
  --ci            as .ci/run: what is always run, what has no valid verdict, and eight minutes of the rest`;

/** Time for suites that CI runs although their verdicts hold. */
const DRAWN_SECONDS = 480;
/** CI takes no run that is longer. A host that others keep busy takes up to twice the usual time. */
const MOST_SECONDS = 5_100;
/** Files that explain a decision, at most. */
const SHOWN_FILES = 3;

const root = process.cwd();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  process.on(signal, () => cancel(code));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}

function cancel(code: number): never {
  endAll();
  process.exit(code);
}

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      list: { type: 'boolean' },
      all: { type: 'boolean' },
      only: { type: 'string' },
      against: { type: 'string' },
      isolated: { type: 'boolean' },
      ci: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const chosen = [values.all && '--all', values.only && '--only', values.against && '--against'].filter(Boolean);
  if (chosen.length > 1) throw new Error(`${chosen.join(' and ')} exclude each other.`);
  const strange = strangePackages(root);
  if (strange.length > 0)
    throw new Error(`node_modules is not as package-lock.json says (${strange.slice(0, 3).join(', ')}). Run npm ci.`);
  const suites = values.only === undefined ? SUITES : suitesNamed(values.only.split(','));
  const unknown = unknownVerdicts(SUITES, readVerdicts(root));
  if (unknown.length > 0) throw new Error(`${VERDICTS} has lines of no suite: ${unknown.join(', ')}. Remove them.`);

  const tree = Tree.at(root);
  const inputs = await inputsOfAll(suites, tree);
  const digests = digestsIn(inputs);
  let decisions = decide(suites, digests, readVerdicts(root));
  if (values.against !== undefined) decisions = await compare(suites, digests, values.against);
  if (values.all || values.only) decisions = suites.map((suite) => runs(suite, 'asked for'));
  if (values.ci && !values.all) decisions = addDrawn(decisions, headOf(root), DRAWN_SECONDS);
  decisions = addNeeded(decisions, SUITES);
  if (values.list) {
    console.log(formatList(decisions, values.against === undefined ? reasonsOf(decisions, inputs) : new Map()));
    return 0;
  }
  return run(decisions, { tree, inputs, isIsolated: values.isolated ?? false });
}

async function run(
  decisions: readonly Decision[],
  options: { readonly tree: Tree; readonly inputs: ReadonlyMap<string, Inputs>; readonly isIsolated: boolean },
): Promise<number> {
  const began = performance.now();
  const chosen = decisions.filter(({ kind }) => kind === 'run').map(({ suite }) => suite);
  installNeeds(chosen);
  const done = await runAll(chosen, { ...options, onGreen: (one) => record(one, options.inputs) });
  const seconds = Math.round((performance.now() - began) / 1_000);

  const repeated = done.flatMap(({ suite, repeated: files }) => files.map((file) => `${suite.name}: ${file}`));
  console.log(`\n== test files that had to run a second time\n${repeated.join('\n') || 'none'}`);
  console.log(
    `\n== verdicts\n${formatTable(
      done,
      decisions.filter(({ suite }) => !chosen.includes(suite)),
    )}`,
  );
  const green = done.filter(({ isGreen }) => isGreen).length;
  const [failed, left] = [done.length - green, chosen.length - done.length];
  console.log(`\n${seconds} s, of ${MOST_SECONDS} at most\n${green} passed, ${failed} failed, ${left} skipped`);
  return failed + left === 0 && seconds <= MOST_SECONDS ? 0 : 1;
}

/** Records a verdict, unless somebody has changed an input while the suite ran. */
async function record({ suite, seconds }: Done, inputs: ReadonlyMap<string, Inputs>): Promise<void> {
  const now = await inputsOf(suite, Tree.at(root)).catch(() => undefined);
  const before = inputs.get(suite.name) ?? now;
  if (now === undefined || before?.digest !== now.digest)
    return console.log(`${suite.name} is green, but its inputs have changed meanwhile. Its verdict is not recorded.`);
  recordVerdict(root, suite, { digest: now.digest, date: new Date().toISOString().slice(0, 10), seconds });
}

async function inputsOfAll(suites: readonly Suite[], tree: Tree): Promise<ReadonlyMap<string, Inputs>> {
  const all = new Map<string, Inputs>();
  for (const suite of suites) all.set(suite.name, await inputsOf(suite, tree));
  return all;
}

function digestsIn(inputs: ReadonlyMap<string, Inputs>): Digests {
  return new Map([...inputs].map(([name, { digest }]) => [name, digest]));
}

/** Takes the inputs of a revision for those of the last green runs. */
async function compare(suites: readonly Suite[], digests: Digests, revision: string): Promise<readonly Decision[]> {
  const then = new Map<string, string>();
  await withTreeOf(root, revision, async (tree) => {
    for (const suite of suites) {
      // A glob of today may name no file of then. The suite is another one, and runs.
      const digest = await inputsOf(suite, tree).then(
        (inputs) => inputs.digest,
        () => '',
      );
      then.set(suite.name, digest);
    }
  });
  return suites.map((suite) =>
    then.get(suite.name) === digests.get(suite.name)
      ? { kind: 'trusted', suite, verdict: { digest: '', date: revision, seconds: suite.seconds } }
      : runs(suite, `inputs differ from ${revision}`),
  );
}

function suitesNamed(names: readonly string[]): readonly Suite[] {
  const strange = names.filter((name) => SUITES.every((suite) => suite.name !== name));
  if (strange.length === 0) return SUITES.filter(({ name }) => names.includes(name));
  const known = SUITES.map(({ name }) => name).join(', ');
  throw new Error(`No suite is called ${strange.join(' or ')}. There are: ${known}.`);
}

/** Names the files of which something counts that have changed since the verdict was committed. */
function reasonsOf(decisions: readonly Decision[], inputs: ReadonlyMap<string, Inputs>): ReadonlyMap<string, string> {
  const verdicts = readVerdicts(root);
  const reasons = new Map<string, string>();
  for (const { kind, suite } of decisions) {
    const verdict = verdicts[suite.name];
    const counted = inputs.get(suite.name)?.counted;
    if (kind !== 'run' || verdict === undefined || counted === undefined) continue;
    const files = changedSince(root, verdict.digest)?.filter((file) => counted.has(file)) ?? [];
    const rest = files.length > SHOWN_FILES ? [`${files.length - SHOWN_FILES} more`] : [];
    if (files.length > 0) reasons.set(suite.name, [...files.slice(0, SHOWN_FILES), ...rest].join(', '));
  }
  return reasons;
}
