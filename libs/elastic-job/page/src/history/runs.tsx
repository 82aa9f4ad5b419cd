import { useTitle } from '../parts/index.js';
import { RunList } from './run-list.js';
import { words } from './texts.js';

/** Runs of all jobs. */
export function Runs() {
  const { title } = words.value.runs;
  useTitle(title);
  return (
    <>
      <h1 class="unshown">{title}</h1>
      <RunList />
    </>
  );
}
