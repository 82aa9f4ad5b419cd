/**
 * The settings of a job: a form for who may change them, and their values for who may not. An edit is a draft until it
 * is sent (`drafts.ts`): it survives a look at another view, a session that is over, and somebody else's change, which
 * is shown beside it. While it is made, the API says what it would do and what is wrong with it.
 */
import './configuration.css';
import { useEffect } from 'preact/hooks';
import type { ConfigAnswer, JobAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, apiPath, get, useReading } from '../api/index.js';
import { Failed, Read } from '../parts/index.js';
import { SettingsForm } from './settings-form.js';

interface JobProps {
  readonly job: string;
  /** The job as it is now: the stream keeps it so. */
  readonly facts: JobAnswer;
}

export function Configuration({ facts, job }: JobProps) {
  const config = useReading(`config ${job}`, (signal) => get<ConfigAnswer>(apiPath('jobs', job, 'config'), { signal }));
  const { configVersion } = facts;
  // Another version is read once the job tells of it, and not before.
  useEffect(() => {
    if (!config.isReading.peek() && config.value.peek()?.version !== configVersion) config.reload();
  }, [configVersion]);
  const refusal = config.problem.value;
  if (refusal?.code === 'CONFIGURATION_NODE') {
    return <Unreadable job={job} facts={facts} refusal={refusal} reload={config.reload} />;
  }
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
function Unreadable({ facts, job, refusal, reload }: UnreadableProps) {
  const { configVersion, problem } = facts;
  if (configVersion === null) return <Failed problem={refusal} reload={reload} />;
  return (
    <SettingsForm
      present={{ job, version: configVersion, settings: {}, unshareable: [], note: null }}
      problem={problem ?? ''}
      reload={reload}
    />
  );
}
