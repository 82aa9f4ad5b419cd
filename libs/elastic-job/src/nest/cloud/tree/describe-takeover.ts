import type { TakeoverEvent } from '../../../cloud/index.js';

/** A finding of a takeover, for people. */
export function describeTakeover(event: TakeoverEvent): string {
  const left = 'of ElasticJob-Cloud';
  switch (event.kind) {
    case 'runs-owed':
      return `a ready counter ${left} was taken over: ${event.runs} runs are owed`;
    case 'items-queued':
      return `failover entries ${left} were taken over: items ${event.items.join(', ')} are run once more`;
    case 'dropped':
      return `${event.what} entries ${left} were dropped (${event.because}): ${event.found.join(', ')}`;
    case 'left':
      return `the remains of ElasticJob-Cloud's job stay until the job is corrected: ${event.problems.join('; ')}`;
    case 'disable-kept':
      return `${event.of} "${event.name}" was disabled in ElasticJob-Cloud, and still is`;
    default:
      return event satisfies never;
  }
}
