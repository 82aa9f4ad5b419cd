import { useTitle } from '../parts/index.js';
import { EventList } from './event-list.js';
import { words } from './texts.js';

/** Events of all jobs. */
export function Events() {
  const { title } = words.value.events;
  useTitle(title);
  return (
    <>
      <h1 class="unshown">{title}</h1>
      <EventList />
    </>
  );
}

/** The tab of a job. */
export function JobEvents({ job }: { readonly job: string }) {
  return <EventList job={job} />;
}
