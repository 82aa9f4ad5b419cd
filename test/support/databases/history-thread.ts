import type { SqlHistoryOptions } from '../../../libs/elastic-job/src/tracing/sql/index.js';
import { type Bundle, bundle } from '../bundle/bundle.js';

/** The entry of a history's thread and a module that makes its dialect, which have to be JavaScript. */
export function bundleHistoryThread(): Promise<Bundle> {
  return bundle({
    thread: 'libs/elastic-job/src/tracing/sql/thread/history-thread.ts',
    dialect: 'test/support/databases/dialect.fixture.ts',
  });
}

/** The options of a history that writes in a thread. @param place the file of SQLite, or the server's URL */
export function inThread(
  threads: Bundle,
  kind: 'sqlite' | 'postgres' | 'mysql',
  place: string,
): Pick<SqlHistoryOptions, 'dialectModule' | 'threadUrl'> {
  const dialectModule = threads.url('dialect');
  dialectModule.searchParams.set(kind, place);
  return { dialectModule, threadUrl: threads.url('thread') };
}
