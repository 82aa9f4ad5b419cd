import {
  MEMORY_REGISTRY,
  MODULE_OPTIONS,
  ZOOKEEPER_REGISTRY,
} from '../../../libs/elastic-job/src/nest/module-options.rules.js';
import type { OptionRow } from '../../../libs/elastic-job/src/domain/options/option-table.js';
import { GENERATED, optionGroup } from './markdown.js';
import type { Source } from './source.js';

/** Interfaces of the page, with the rows of the tables that judge their members. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, OptionRow>>>> = {
  ElasticJobModuleOptions: MODULE_OPTIONS,
  ZooKeeperRegistryOptions: ZOOKEEPER_REGISTRY,
  MemoryRegistryOptions: MEMORY_REGISTRY,
  AllowedRegistryTargets: {},
  LogSinkOptions: {},
  HealthOptions: {},
  HealthLimits: {},
  ElasticJobMetricsOptions: {},
  OpenTelemetryOptions: {},
  SqlHistoryOptions: {},
  PlainSqlGuardOptions: {},
  ElasticJobConsoleOptions: {},
  ConsoleAuthOptions: {},
  ConsoleUser: {},
  ConsoleToken: {},
  ConsoleLimitOptions: {},
  JsonLinesAuditStoreOptions: {},
  SqlAuditStoreOptions: {},
  WorkerThreadsOptions: {},
  ElasticJobCloudModuleOptions: {},
  TaskApp: {},
  TaskAllow: {},
  CloudTreeOptions: {},
  CloudRestOptions: {},
  LocalProcessesOptions: {},
};

/** docs/reference/module-options.md: the options of the modules, and of what is handed to them. */
export function moduleOptionsPage(source: Source): string {
  const groups = Object.entries(GROUPS).map(([name, rows]) => optionGroup(source, name, rows));
  return [INTRODUCTION, ...groups].join('\n\n');
}

const INTRODUCTION = `# Options of the module

${GENERATED}

Options of \`ElasticJobModule.forRoot\` and \`forRootAsync\`, of the registry, and of the modules and objects beside
them. Start is refused if an option is wrong or unknown; the error names each of them. Variables for some of them are in
[environment variables](environment.md).`;
