/**
 * The settings of a job: a form for who may change them, and their values for who may not. An edit is a draft until it
 * is sent (`drafts.ts`): it survives a look at another view, a session that is over, and somebody else's change, which
 * is shown beside it. While it is made, the API says what it would do and what is wrong with it.
 */
import './configuration.css';
import type { ConfigAnswer, JobAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, apiPath, get, useReading } from '../api/index.js';
import { Failed, Read } from '../parts/index.js';
import { SettingsForm } from './settings-form.js';

const AGAIN_MS = 5_000;

interface JobProps {
  readonly job: string;
}

export function Configuration({ job }: JobProps) {
  const config = useReading(
    `config ${job}`,
    (signal) => get<ConfigAnswer>(apiPath('jobs', job, 'config'), { signal }),
    { everyMs: AGAIN_MS },
  );
  const refusal = config.problem.value;
  if (refusal?.code === 'CONFIGURATION_NODE') return <Unreadable job={job} refusal={refusal} reload={config.reload} />;
  return (
    <Read of={config} lines={10}>
      {(present) => <SettingsForm present={present} reload={config.reload} />}
    </Read>
  );
}

interface UnreadableProps extends JobProps {
  readonly refusal: ApiProblem;
  readonly reload: () => void;
}

/** Settings that cannot be used: nobody can see them, and who may can correct a wrong value. */
function Unreadable({ job, refusal, reload }: UnreadableProps) {
  const about = useReading(`job ${job}`, (signal) => get<JobAnswer>(apiPath('jobs', job), { signal }), {
    everyMs: AGAIN_MS,
  });
  return (
    <Read of={about} lines={10}>
      {({ configVersion, problem }) =>
        configVersion === null ? (
          <Failed problem={refusal} reload={reload} />
        ) : (
          <SettingsForm
            present={{ job, version: configVersion, settings: {}, unshareable: [], note: null }}
            problem={problem ?? ''}
            reload={reload}
          />
        )
      }
    </Read>
  );
}
