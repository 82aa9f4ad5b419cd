import { TEMPLATE_LIMITS } from '../../../libs/elastic-job/src/domain/handlers/job-template.js';
import { JOB_DEFAULTS } from '../../../libs/elastic-job/src/domain/options/job-defaults.js';
import { variableOf } from '../../../libs/elastic-job/src/nest/config/elastic-job.config.js';
import { type Setting, JOB_SETTINGS } from '../../../libs/elastic-job/src/domain/options/job-settings.js';
import {
  assertDefault,
  code,
  defaultOf,
  GENERATED,
  linkTo,
  optionGroup,
  optionSection,
  table,
  unitOf,
} from './markdown.js';
import type { Member, Source } from './source.js';

/** Places of a setting in the registry, for readers who wonder why an edit counts or does not. */
const PLACES: Readonly<Record<Setting['at'], (name: string) => string | undefined>> = {
  java: (name) => `${code(name)} in the job's \`config\` node, which Java reads as well`,
  nestjs: (name) => `${code(`nestjs.${name}`)} among the \`props\` of the job's \`config\` node; Java ignores it`,
  either: (name) =>
    `${code(name)} in the job's \`config\` node if Java knows the value, else ` +
    `${code(`nestjs.${name}`)} among its \`props\``,
  apart: () => "the job's `config` node",
  process: () => 'nowhere: it is code of this process',
};

/** docs/reference/options.md: every option of a job. @throws {TypeError} if an option is undocumented or has no row */
export function optionsPage(source: Source): string {
  const members = source.membersOf(source.declared(JOB_OPTIONS, 'JobOptions'));
  const rows: Readonly<Record<string, Setting | undefined>> = JOB_SETTINGS;
  const sections = members.map((member) => {
    const row = rows[member.name];
    if (row === undefined) throw new TypeError(`JobOptions.${member.name} has no row in JOB_SETTINGS.`);
    assertDefault(member, row.default);
    return optionSection(member, 2, [
      ['Accepts', row.rule.what],
      ['Unit', unitOf(member.name)],
      ['Kept in', PLACES[row.at](member.name)],
      ['For all jobs', isCommon(member.name) ? commonPlaces(member.name) : undefined],
    ]);
  });
  const nested = ['TaskResources', 'TaskOptions'].map((name) => optionGroup(source, name));
  const limits = optionGroup(source, 'TemplateLimits', TEMPLATE_LIMITS);
  return [INTRODUCTION, overview(members), ...sections, ...nested, limits].join('\n\n');
}

function isCommon(name: string): boolean {
  return Object.hasOwn(JOB_DEFAULTS, name);
}

function commonPlaces(name: string): string {
  const path = `defaults.${name}`;
  return `${linkTo('defaults', 'module-options.md', path)} of the module, or ${code(variableOf(path))}`;
}

const JOB_OPTIONS = 'libs/elastic-job/src/domain/options/job-options.ts';

const INTRODUCTION = `# Options of a job

${GENERATED}

\`@ElasticJob\` takes these options, and so do the module's \`jobs\`, templates and \`JobRegistrar\`. The registry keeps
most of them in the job's \`config\` node. What stands there goes before what the code says, unless \`overwrite\` is
true. What jobs have in common is said once, in the module's [\`defaults\`](module-options.md#defaults).
\`@ElasticJobTemplate\` also takes the [limits](#templatelimits) of the jobs that are created from it.`;

function overview(members: readonly Member[]): string {
  const rows = members.map((member) => [linkTo(member.name), code(member.type), defaultOf(member)]);
  return table(['Option', 'Type', 'Default'], rows);
}
