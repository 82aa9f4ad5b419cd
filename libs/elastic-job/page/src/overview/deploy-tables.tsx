import type { DrainAnswer, OverviewAnswer, VersionAnswer } from '../../../src/console/contract/answers.js';
import { pathTo } from '../api/index.js';
import { Since, Time } from '../parts/index.js';
import { number, Text, texts } from '../text/index.js';
import { Release } from './release.js';

/** All releases with their numbers, and the instances that leave. */
export function DeployTables({ facts: { draining, drainingInstances, versions } }: { readonly facts: OverviewAnswer }) {
  return (
    <div class="tables" role="region" aria-label={texts.value.overview.deploy.details} tabIndex={0}>
      {versions.length > 0 && <Releases versions={versions} />}
      {draining.length > 0 && <Draining draining={draining} count={drainingInstances} />}
    </div>
  );
}

function Releases({ versions }: { readonly versions: readonly VersionAnswer[] }) {
  const { locale, overview } = texts.value;
  const { columns: t, releases } = overview.deploy;
  const count = (value: number) => <td class="num right">{number(value, locale)}</td>;
  return (
    <table>
      <caption>{releases}</caption>
      <thead>
        <tr>
          <th scope="col">{t.release}</th>
          <th scope="col" class="right">
            {t.instances}
          </th>
          <th scope="col" class="right">
            {t.draining}
          </th>
          <th scope="col" class="right">
            {t.jobs}
          </th>
          <th scope="col" class="right">
            {t.mixed}
          </th>
          <th scope="col">{t.since}</th>
          <th scope="col">{t.last}</th>
        </tr>
      </thead>
      <tbody>
        {versions.map(({ drainingInstances, instances, jobs, lastJoined, mixedJobs, since, version }) => (
          <tr key={version ?? ''}>
            <th scope="row">
              <Release version={version} />
            </th>
            {count(instances)}
            {count(drainingInstances)}
            {count(jobs)}
            {count(mixedJobs)}
            <td>
              <Time at={since} withSeconds />
            </td>
            <td>
              <Time at={lastJoined} withSeconds />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Draining({ count, draining }: { readonly draining: readonly DrainAnswer[]; readonly count: number }) {
  const { locale, more, overview } = texts.value;
  const { columns: t, leaves } = overview.deploy;
  return (
    <table>
      <caption>{leaves}</caption>
      <thead>
        <tr>
          <th scope="col">{t.leaving}</th>
          <th scope="col">{t.release}</th>
          <th scope="col" class="right">
            {t.jobs}
          </th>
          <th scope="col">{t.draining}</th>
        </tr>
      </thead>
      <tbody>
        {draining.map(({ instance, ip, jobs, since, version }) => (
          <tr key={instance}>
            <th scope="row">
              <a class="mono" href={pathTo('servers', ip)}>
                <Text>{instance}</Text>
              </a>
            </th>
            <td>
              <Release version={version} />
            </td>
            <td class="num right">{number(jobs, locale)}</td>
            <td>
              <Since at={since} />
            </td>
          </tr>
        ))}
        {count > draining.length && (
          <tr>
            <td class="faint" colSpan={4}>
              {more(count - draining.length)}
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}
