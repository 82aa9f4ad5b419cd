import { type JobContext } from '../../../libs/elastic-job/src/runtime/leases/job-context.js';
import { HeardNews } from './job-news.js';

/** The parts of a session that a test needs. All others are missing. */
export function contextOf(parts: Partial<JobContext>): JobContext {
  return Object.assign(Object.create(null), { news: new HeardNews(), ...parts });
}
