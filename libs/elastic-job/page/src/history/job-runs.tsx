import { Runs as OldRuns } from '../job/runs.js';
import { RunList } from './run-list.js';
import { words } from './texts.js';

/** The tab of a job: its runs. Where the tables of this history are missing, those of ElasticJob's own tables. */
export function JobRuns({ job }: { readonly job: string }) {
  return (
    <RunList
      job={job}
      without={(code) => (
        <>
          {code === 'MISSING_HISTORY_TABLE' && <p class="told warn">{words.value.none.older}</p>}
          <OldRuns job={job} />
        </>
      )}
    />
  );
}
