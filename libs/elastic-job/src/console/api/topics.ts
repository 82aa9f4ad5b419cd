import {
  type ConsoleCaller,
  ConsoleProblem,
  mayAs,
  seesJob,
  TOPICS_OF_ALL,
  unknownJobProblem,
} from '../contract/index.js';
import { findNameFault } from './names.js';

const MOST_TOPICS = 32;

/**
 * The topics of a stream: `overview`, `jobs`, `audit` and `job:NAME`, with commas between them. In a name, `%` and a
 * comma are encoded as in a URL.
 * @throws {ConsoleProblem} 400 for another topic, 403 for the audit if the caller may not read it, 404 for a job that
 * is not there for the caller
 */
export function topicsOf(text: string | undefined, caller: ConsoleCaller): readonly string[] {
  const topics = [...new Set((text ?? 'overview').split(',').map(decoded))];
  if (topics.length > MOST_TOPICS) throw wrongTopic(`must be at most ${MOST_TOPICS}`);
  for (const topic of topics) {
    if (topic === 'audit' && !mayAs(caller.role, 'operator')) {
      throw new ConsoleProblem(403, 'FORBIDDEN', 'The audit needs the role operator.', { role: 'operator' });
    }
    if (TOPICS_OF_ALL.includes(topic)) continue;
    const job = topic.startsWith('job:') ? topic.slice('job:'.length) : undefined;
    if (job === undefined || findNameFault(job) !== undefined) {
      throw wrongTopic('must be overview, jobs, audit or job:NAME, with commas between them');
    }
    if (!seesJob(caller, job)) throw unknownJobProblem(job);
  }
  return topics;
}

function decoded(topic: string): string {
  try {
    return decodeURIComponent(topic);
  } catch {
    return '';
  }
}

function wrongTopic(problem: string): ConsoleProblem {
  return new ConsoleProblem(400, 'INVALID_ARGUMENT', 'The query is wrong.', { fields: [{ field: 'topics', problem }] });
}
