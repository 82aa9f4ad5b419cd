import type { JobTree } from '../../../libs/elastic-job/src/coordination/index.js';
import type { Duty } from '../../../libs/elastic-job/src/runtime/duties/duty.js';
import { type JobContext } from '../../../libs/elastic-job/src/runtime/leases/job-context.js';
import { JobNewsFeed } from '../../../libs/elastic-job/src/runtime/leases/job-news.js';

/** The parts of a session that a test needs. All others are missing. */
export function contextOf(parts: Partial<JobContext>): JobContext {
  return Object.assign(Object.create(null), { news: new JobNewsFeed(), ...parts });
}

/** Sends the events of the tree to a duty, as long as `isListening`. */
export function hearTree(tree: JobTree, duty: Duty, isListening = () => true): void {
  const news = new JobNewsFeed();
  news.on(duty);
  tree.on((event) => isListening() && news.tell(event));
}
