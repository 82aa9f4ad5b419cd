import {
  CONSOLE_VARIABLES,
  DEFAULTS_VARIABLES,
  MODULE_VARIABLES,
  REGISTRY_VARIABLES,
  variableOf,
} from '../../../libs/elastic-job/src/nest/config/elastic-job.config.js';
import { ZOOKEEPER_REGISTRY } from '../../../libs/elastic-job/src/nest/module-options.rules.js';
import type { OptionRow } from '../../../libs/elastic-job/src/domain/options/option-table.js';
import { code, firstSentence, GENERATED, linkTo, table } from './markdown.js';
import type { Member, Source } from './source.js';

/** The rules of the options, of which a variable that ZooKeeper needs has none of its own. */
const ZOOKEEPER_OPTIONS: Readonly<Record<string, OptionRow | undefined>> = ZOOKEEPER_REGISTRY;
const OPTIONS_PAGE = 'module-options.md';
const JOB_OPTIONS = 'libs/elastic-job/src/domain/options/job-options.ts';
const HEAD = ['Variable', 'Option', 'Accepts', 'Meaning of the option'];

/** docs/reference/environment.md: the variables that the library reads, and those that it sets for others. */
export function environmentPage(source: Source): string {
  const registry = source.membersOf(source.public('ZooKeeperRegistryOptions'));
  const module = source.membersOf(source.public('ElasticJobModuleOptions'));
  const rows = [...rowsOf(REGISTRY_VARIABLES, registry, 'registry.'), ...rowsOf(MODULE_VARIABLES, module, '')];
  return [
    INTRODUCTION,
    table(HEAD, rows),
    DEFAULTS,
    table(HEAD, defaultsRows(source)),
    CONSOLE,
    table(
      ['Variable', 'Accepts', 'Meaning'],
      Object.entries(CONSOLE_VARIABLES).map(([name, { means, rule }]) => [code(variableOf(name)), rule.what, means]),
    ),
    OTHERS,
    table(
      ['Variable', 'Meaning'],
      source.constants(/^ELASTIC_JOB_[A-Z_]*[A-Z]$/).map(({ value, text }) => [code(value), text]),
    ),
  ].join('\n\n');
}

/** Variables of the settings that jobs have in common. */
function defaultsRows(source: Source): readonly (readonly string[])[] {
  const members = source.membersOf(source.declared(JOB_OPTIONS, 'JobOptions'));
  return Object.entries(DEFAULTS_VARIABLES).map(([path, { rule }]) => {
    const { name, text } = optionOf(path.replace('defaults.', ''), members);
    return [code(variableOf(path)), linkTo(name, 'options.md', path), rule.what, firstSentence(text)];
  });
}

function rowsOf(variables: Readonly<Record<string, OptionRow>>, members: readonly Member[], path: string) {
  return Object.entries(variables).map(([name, { rule, required }]) => {
    const member = optionOf(name, members);
    const accepted = required === true ? (ZOOKEEPER_OPTIONS[name]?.rule ?? rule) : rule;
    const shown = path + (name === 'registry' ? 'type' : member.name);
    return [
      code(variableOf(name)),
      linkTo(member.name, OPTIONS_PAGE, shown),
      accepted.what,
      firstSentence(member.text),
    ];
  });
}

/** The option that a variable stands for, or for a part of which: `saslUsername` is one of `sasl`. */
function optionOf(name: string, members: readonly Member[]): Member {
  const wanted = name === 'registry' ? 'type' : name;
  const found =
    members.find((member) => member.name === wanted) ?? members.find((member) => wanted.startsWith(member.name));
  if (found === undefined) throw new TypeError(`${variableOf(name)} stands for no option.`);
  return found;
}

const INTRODUCTION = `# Environment variables

${GENERATED}

\`ElasticJobModule.forRootAsync(elasticJobConfig.asProvider())\` takes the module's options from these variables, by
\`nestjs-elastic-job/config\` and \`@nestjs/config\`. An empty variable counts as not given. Without
\`ELASTIC_JOB_REGISTRY\` the registry is ZooKeeper if \`ELASTIC_JOB_SERVERS\` is given, and else the one in
memory; with \`NODE_ENV=production\` it is none then, and the module ends the start. Start is refused as well if a
variable is wrong, or is spelled almost like one of these. Others that begin like these, such as
\`ELASTICJOB_SERVERS\`, are named in the log once; one of the registry ends the start where no variable chooses
a registry. [From the environment](../start/zookeeper.md#from-the-environment) shows how to add options that no
variable has.`;

const DEFAULTS = `## Defaults of jobs

These stand in the module's [\`defaults\`](module-options.md#defaults): below what a job says itself, and above the
library's defaults. A list has commas between its words.`;

const CONSOLE = `## The console of a clone

\`npm start\` in a clone of the repository starts a console: that of a demo, or that of the namespace that the
variables above name. These are its own, beside \`PORT\`, which is 3000 by default.`;

const OTHERS = `## Variables of scripts and tasks

The library sets these variables for the processes that it starts. Do not set them yourself.`;
