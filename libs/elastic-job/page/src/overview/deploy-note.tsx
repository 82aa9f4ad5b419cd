import './deploy.css';
import type { OverviewAnswer, VersionAnswer } from '../../../src/console/contract/answers.js';
import { pathTo } from '../api/index.js';
import { Since, Tag } from '../parts/index.js';
import { Text, texts } from '../text/index.js';
import type { Deploy } from './deploy.js';
import { DeployTables } from './deploy-tables.js';
import { Release } from './release.js';

/** Most releases that the line names. */
const MOST_NAMED = 3;

interface NoteProps {
  readonly deploy: Deploy;
  readonly facts: OverviewAnswer;
}

/** A deploy that runs: which release replaces which, how far it is, and who leaves. Its tables have all of it. */
export function DeployNote({ deploy, facts }: NoteProps) {
  const { nav, overview } = texts.value;
  const { deploy: t } = overview;
  const isMixed = deploy.others.length > 0;
  return (
    <section class="panel deploy" aria-label={t.title}>
      <div class="line">
        <Tag tone="run">{isMixed ? t.title : t.drains}</Tag>
        <p>
          {isMixed && (deploy.to === undefined ? <Beside deploy={deploy} /> : <Replaces deploy={deploy} />)}
          {facts.drainingInstances > 0 && <Leaving facts={facts} />}
        </p>
        {deploy.to !== undefined && <Meter deploy={deploy} />}
        <a class="btn small" href={pathTo('servers')}>
          {nav.servers}
        </a>
      </div>
      <details>
        <summary>{t.details}</summary>
        <DeployTables facts={facts} />
      </details>
    </section>
  );
}

function Replaces({ deploy: { instances, others, to } }: Pick<NoteProps, 'deploy'>) {
  const { deploy: t } = texts.value.overview;
  if (to === undefined) return null;
  return (
    <>
      <b>
        <Release version={to.version} />
      </b>{' '}
      {t.replaces} <Named releases={others} />
      {t.comma}
      <Since at={to.since} />
      {t.stop}
      {t.onIt(to.instances, instances)}
    </>
  );
}

/** No release is known to be the one that stays. */
function Beside({ deploy: { jobs, others } }: Pick<NoteProps, 'deploy'>) {
  const { jobsCount, overview } = texts.value;
  return (
    <>
      <Named releases={others} isCounted /> {overview.deploy.beside(jobsCount(jobs))}
    </>
  );
}

function Named({ isCounted = false, releases }: { releases: readonly VersionAnswer[]; isCounted?: boolean }) {
  const { instances: counted, more } = texts.value;
  const rest = releases.length - MOST_NAMED;
  return (
    <>
      {releases.slice(0, MOST_NAMED).map(({ instances, version }, index) => (
        <span key={version ?? ''}>
          {index > 0 && ', '}
          <Release version={version} />
          {isCounted && ` (${counted(instances)})`}
        </span>
      ))}
      {rest > 0 && ` ${more(rest)}`}
    </>
  );
}

/** How many leave, and who has been leaving for longest. */
function Leaving({ facts: { draining, drainingInstances } }: Pick<NoteProps, 'facts'>) {
  const { deploy: t } = texts.value.overview;
  const [longest] = draining;
  return (
    <>
      {t.draining(drainingInstances)}
      {longest !== undefined && (
        <>
          {t.longest(drainingInstances)}
          <Text>{longest.ip}</Text>
          {t.comma}
          <Since at={longest.since} />
          {t.longestEnd}
        </>
      )}
    </>
  );
}

/** The part of the instances that is of the new release, and the part that leaves. The line says it in words. */
function Meter({ deploy: { instances, others, to } }: Pick<NoteProps, 'deploy'>) {
  const share = (count: number) => ({ width: `${(100 * count) / Math.max(1, instances)}%` });
  const leaving = others.reduce((sum, { drainingInstances }) => sum + drainingInstances, 0);
  return (
    <span class="meter" aria-hidden="true">
      <b style={share(to?.instances ?? 0)} />
      <b style={share(leaving)} />
    </span>
  );
}
