import { format, resolveConfig } from 'prettier';
import { environmentPage } from './environment-page.js';
import { errorsPage } from './errors-page.js';
import { moduleOptionsPage } from './module-options-page.js';
import { optionsPage } from './options-page.js';
import { errorHandlersPage, jobTypesPage } from './props-pages.js';
import { eventsPage, metricsPage, spansPage } from './telemetry-pages.js';
import { Source } from './source.js';
import { suitesPage } from './suites-page.js';

/** The generated pages by their path. @throws {TypeError} if something in the code has no docstring */
export async function referencePages(source: Source = Source.read()): Promise<ReadonlyMap<string, string>> {
  const pages = {
    'reference/options': optionsPage(source),
    'reference/events': eventsPage(source),
    'reference/metrics': metricsPage(),
    'reference/spans': spansPage(),
    'reference/error-handlers': errorHandlersPage(source),
    'reference/job-types': jobTypesPage(source),
    'reference/errors': errorsPage(source),
    'reference/environment': environmentPage(source),
    'reference/module-options': moduleOptionsPage(source),
    'project/suites': suitesPage(),
  };
  if (source.faults.length > 0) throw new TypeError(`${source.faults.join(';\n')}.`);
  const paths = Object.entries(pages).map(async ([name, text]): Promise<[string, string]> => {
    const path = `docs/${name}.md`;
    return [path, await format(text, { ...(await resolveConfig(path)), parser: 'markdown' })];
  });
  return new Map(await Promise.all(paths));
}
