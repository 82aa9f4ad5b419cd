import { parseArgs } from 'node:util';
import { type Suite, SUITES } from '../suites.js';
import { VERDICTS } from './tree.js';

export const USAGE = `npm run verify [-- OPTIONS]
Runs each suite whose inputs have changed since its last green run, and records the new verdicts in
${VERDICTS}. Commit that file with the change.
  --list          says what would run and why, and runs nothing
  --all           runs every suite
  --only A,B      runs these suites, also if their verdicts hold
  --against REV   runs each suite whose inputs differ from those of a revision
  --isolated      gives each suite a copy of the repository with nothing but its declared inputs
  --ci            as .ci/run: what is always run, what has no valid verdict, and eight minutes of the rest`;

export interface VerifyOptions {
  readonly isHelp: boolean;
  readonly isList: boolean;
  /** True to run all of `suites`, also if their verdicts hold. */
  readonly isForced: boolean;
  readonly suites: readonly Suite[];
  readonly against: string | undefined;
  readonly isIsolated: boolean;
  readonly isCi: boolean;
}

/** @throws if an option or a suite is unknown, or options exclude each other */
export function parseOptions(args: readonly string[]): VerifyOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      only: { type: 'string' },
      against: { type: 'string' },
      isolated: { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { all, only, against } = values;
  if (positionals.length > 0) throw new Error(`Do you mean --only ${positionals.join(',')}?\n${USAGE}`);
  const given = [all && '--all', only !== undefined && '--only', against !== undefined && '--against'].filter(Boolean);
  if (given.length > 1) throw new Error(`${given.join(' and ')} exclude each other.`);
  return {
    isHelp: values.help,
    isList: values.list,
    isForced: all || only !== undefined,
    suites: only === undefined ? SUITES : suitesNamed(only.split(',')),
    against,
    isIsolated: values.isolated,
    isCi: values.ci,
  };
}

function suitesNamed(names: readonly string[]): readonly Suite[] {
  const strange = names.filter((name) => SUITES.every((suite) => suite.name !== name));
  if (strange.length === 0) return SUITES.filter(({ name }) => names.includes(name));
  const known = SUITES.map(({ name }) => name).join(', ');
  throw new Error(`No suite is called ${strange.join(' or ')}. There are: ${known}.`);
}
