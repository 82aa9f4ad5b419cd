import { type JobContext } from '../../../libs/elastic-job/src/runtime/leases/job-context.js';
import { JobNewsFeed } from '../../../libs/elastic-job/src/runtime/leases/job-news.js';

/** The parts of a session that a test needs; what it has not named is not there. */
export function contextOf(parts: Partial<JobContext>): JobContext {
  return Object.assign(Object.create(null), { news: new JobNewsFeed(), ...parts });
}
