import './job.css';
import { useRoute } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { JobAnswer } from '../../../src/console/contract/job-answers.js';
import { apiPath, get, listen, pathTo, useReading } from '../api/index.js';
import { Boundary, later, Look, Read, useTitle } from '../parts/index.js';
import { texts, visibleText } from '../text/index.js';
import { Header } from './header.js';
import { type JobItems, useJobItems } from './items.js';

interface TabProps {
  readonly job: string;
  readonly facts: JobAnswer;
  readonly items: JobItems;
}

interface Tab {
  /** Its part of the URL, and the key of its name. The first tab has no part. */
  readonly key: 'now' | 'runs' | 'config' | 'events' | 'audit' | 'tree';
  readonly View: (props: TabProps) => ComponentChildren;
}

/** One row for each tab, in their order. */
const TABS: readonly Tab[] = [
  { key: 'now', View: later(() => import('./now.js').then(({ Now }) => Now)) },
  { key: 'runs', View: later(() => import('../history/job-runs.js').then(({ JobRuns }) => JobRuns)) },
  {
    key: 'config',
    View: later(() => import('../configuration/configuration.js').then(({ Configuration }) => Configuration)),
  },
  { key: 'events', View: later(() => import('../history/events.js').then(({ JobEvents }) => JobEvents)) },
  { key: 'audit', View: later(() => import('../audit/audit-list.js').then(({ JobAudit }) => JobAudit)) },
  { key: 'tree', View: later(() => import('../tree/tree.js').then(({ Tree }) => Tree)) },
];

/** The view of a job: `/jobs/:job` shows what is now, `/jobs/:job/runs` and so on its other tabs. */
export function JobView() {
  const { job = '', tab: part } = useRoute().params;
  const { toOverview, unknownView, unknownViewMore } = texts.value.looks;
  const tab = TABS.find(({ key }) => key === (part ?? 'now'));
  if (tab === undefined) {
    return <Look title={unknownView} more={unknownViewMore} action={{ name: toOverview, href: pathTo() }} isPage />;
  }
  return <OneJob key={job} job={job} tab={tab} />;
}

function OneJob({ job, tab }: { readonly job: string; readonly tab: Tab }) {
  const { job: t } = texts.value;
  const facts = useReading<JobAnswer>(job, (signal) => get(apiPath('jobs', job), { signal }), {
    topics: [`job:${job}`],
  });
  const items = useJobItems(job);
  useTitle(visibleText(job), t.tabs[tab.key]);
  if (facts.problem.value?.status === 404) {
    return <Gone job={job} reload={() => [facts, items].forEach((one) => one.reload())} />;
  }
  const { View } = tab;
  return (
    <Read of={facts} lines={8}>
      {(answer) => (
        <>
          <Boundary>
            <Header facts={answer} items={items.items.value} />
          </Boundary>
          <Tabs job={job} current={tab} />
          <Boundary key={tab.key}>
            <View job={job} facts={answer} items={items} />
          </Boundary>
        </>
      )}
    </Read>
  );
}

/** A frame of the list of jobs. */
interface JobsFrame {
  readonly rows: readonly { readonly job: string }[];
  readonly more: boolean;
}

/** There is no such job, until the list has it. */
function Gone({ job, reload }: { readonly job: string; readonly reload: () => void }) {
  const { job: t } = texts.value;
  useEffect(
    () =>
      listen('jobs', ({ more, rows }: JobsFrame) => {
        if (more || rows.some((row) => row.job === job)) reload();
      }),
    [job],
  );
  return <Look title={t.gone} more={t.goneMore} action={{ name: t.toJobs, href: pathTo('jobs') }} isPage />;
}

function Tabs({ current, job }: { readonly job: string; readonly current: Tab }) {
  const { tabs } = texts.value.job;
  return (
    <nav class="tabs" aria-label={tabs.label}>
      {TABS.map(({ key }) => {
        const href = key === 'now' ? pathTo('jobs', job) : pathTo('jobs', job, key);
        const isCurrent = key === current.key;
        return (
          <a key={key} href={href} aria-current={isCurrent ? 'page' : undefined}>
            {tabs[key]}
          </a>
        );
      })}
    </nav>
  );
}
