import { format, resolveConfig } from 'prettier';
import { environmentPage } from './environment-page.js';
import { errorsPage } from './errors-page.js';
import { moduleOptionsPage } from './module-options-page.js';
import { optionsPage } from './options-page.js';
import { errorHandlersPage, jobTypesPage } from './props-pages.js';
import { eventsPage, metricsPage, spansPage } from './telemetry-pages.js';
import { Source } from './source.js';

const FOLDER = 'docs/reference';

/** The generated pages by their path. @throws {TypeError} if something in the code has no docstring */
export async function referencePages(source: Source = Source.read()): Promise<ReadonlyMap<string, string>> {
  const pages = {
    options: optionsPage(source),
    events: eventsPage(source),
    metrics: metricsPage(),
    spans: spansPage(),
    'error-handlers': errorHandlersPage(source),
    'job-types': jobTypesPage(source),
    errors: errorsPage(source),
    environment: environmentPage(source),
    'module-options': moduleOptionsPage(source),
  };
  if (source.faults.length > 0) throw new TypeError(`${source.faults.join(';\n')}.`);
  const paths = Object.entries(pages).map(async ([name, text]): Promise<[string, string]> => {
    const path = `${FOLDER}/${name}.md`;
    return [path, await format(text, { ...(await resolveConfig(path)), parser: 'markdown' })];
  });
  return new Map(await Promise.all(paths));
}
