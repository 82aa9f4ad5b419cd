// npm run api [-- --write], after a build: compares the names and types of each entry of the package with the committed
// reports, and finds exported declarations that need a type which no entry exports.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const PACKAGE = resolve('libs/elastic-job');
const COMMITTED = join(PACKAGE, 'api');
const FORGOTTEN = 'ae-forgotten-export';

/** A base class from Nest's builder. Applications do not need its name. */
const NESTS_OWN = 'ConfigurableModuleClass';

/** The report on one entry. */
interface EntryReport {
  readonly entry: string;
  readonly isChanged: boolean;
  readonly names: readonly string[];
  /** Types that it needs and does not export itself. */
  readonly needed: readonly string[];
}

const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const manifest: { readonly exports: Record<string, string | { readonly default: { readonly types: string } }> } =
  JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const temporary = mkdtempSync(join(tmpdir(), 'api-'));
mkdirSync(COMMITTED, { recursive: true });
try {
  process.exitCode = judge(
    Object.entries(manifest.exports).flatMap(([entry, target]) =>
      typeof target === 'string' ? [] : [reportOf(entry, join(PACKAGE, target.default.types))],
    ),
  );
} finally {
  rmSync(temporary, { recursive: true });
}

function reportOf(entry: string, declarations: string): EntryReport {
  const reportFileName = fileOf(entry);
  const needed: string[] = [];
  const result = Extractor.invoke(configure(declarations, reportFileName), {
    localBuild: values.write,
    messageCallback: (message) => {
      const forgotten = /^The symbol "(.+)" needs to be exported/.exec(message.text)?.[1];
      if (message.messageId === FORGOTTEN && forgotten !== undefined) needed.push(forgotten);
      if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true;
    },
  });
  const text = readFileSync(join(temporary, reportFileName), 'utf8');
  const names = [...text.matchAll(/^export (?:declare )?(?:abstract )?\w+ (\w+)|^export \{ (\w+)/gm)];
  return { entry, isChanged: result.apiReportChanged, names: names.map((name) => name[1] ?? name[2]!), needed };
}

function configure(declarations: string, reportFileName: string): ExtractorConfig {
  const quiet = { default: { logLevel: ExtractorLogLevel.None } };
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: PACKAGE,
      mainEntryPointFilePath: declarations,
      compiler: { tsconfigFilePath: join(PACKAGE, 'tsconfig.lib.json') },
      apiReport: { enabled: true, reportFileName, reportFolder: COMMITTED, reportTempFolder: temporary },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: quiet,
        tsdocMessageReporting: quiet,
        extractorMessageReporting: { ...quiet, [FORGOTTEN]: { logLevel: ExtractorLogLevel.Warning } },
      },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(PACKAGE, 'package.json'),
  });
}

/** @returns the exit code */
function judge(reports: readonly EntryReport[]): number {
  const exported = new Set([NESTS_OWN, ...reports.flatMap(({ names }) => names)]);
  const faults = reports.flatMap(({ entry, isChanged, needed }) => [
    ...(isChanged && !values.write ? [`${entry} differs from libs/elastic-job/api/${fileOf(entry)}`] : []),
    ...needed.filter((name) => !exported.has(name)).map((name) => `${entry} needs ${name}, which no entry exports`),
  ]);
  const files = new Set(reports.map(({ entry }) => fileOf(entry)));
  for (const file of readdirSync(COMMITTED)) if (!files.has(file)) faults.push(`api/${file} is of no entry`);
  for (const fault of faults) console.error(fault);
  for (const { entry, names } of reports) console.log(`${entry}: ${names.length} names`);
  if (faults.length > 0) console.error('If the change is meant: npm run build && npm run api -- --write');
  return faults.length > 0 ? 1 : 0;
}

function fileOf(entry: string): string {
  return `${entry === '.' ? 'index' : entry.slice(2).replaceAll('/', '-')}.api.md`;
}
