import './history.css';
import '../job/job.css';
import { useRoute } from 'preact-iso';
import type { AttemptAnswer, RunAnswer, RunRow } from '../../../src/console/contract/history-answers.js';
import { apiPath, get, pathTo, useReading } from '../api/index.js';
import { Fact } from '../job/fact.js';
import { Look, Panel, Tag, Time, useTitle } from '../parts/index.js';
import { RerunButton } from '../reruns/rerun-button.js';
import { words as rerunWords } from '../reruns/texts.js';
import { span, Text, texts, visibleText } from '../text/index.js';
import { isNoHistory, NoHistory, Outcome, ReadHistory } from './looks.js';
import { Mono, RunFacts } from './run-facts.js';
import { words } from './texts.js';
import { TargetTimeline } from './timeline.js';

const EVERY_MS = 5_000;

/** `/runs/:id`: one run, and what happened around it. */
export function Run() {
  const { id = '' } = useRoute().params;
  return <OneRun key={id} id={id} />;
}

function OneRun({ id }: { readonly id: string }) {
  const { run: t, runs } = words.value;
  const reading = useReading<RunAnswer>(id, (signal) => get(apiPath('runs', id), { signal }), { everyMs: EVERY_MS });
  const run = reading.value.value?.run;
  useTitle(run === undefined ? runs.title : t.title(run.item, visibleText(run.job)), runs.title);
  const problem = reading.problem.value;
  if (problem?.status === 404) {
    return <Look title={t.unknown} more={t.unknownMore} action={{ name: runs.title, href: pathTo('runs') }} isPage />;
  }
  if (reading.value.value === undefined && isNoHistory(problem)) return <NoHistory problem={problem} isPage />;
  return (
    <ReadHistory of={reading} lines={8}>
      {(answer) => <Whole answer={answer} />}
    </ReadHistory>
  );
}

function Whole({ answer }: { readonly answer: RunAnswer }) {
  const { noFireTime, noFireTimeMeans, run: t, runs } = words.value;
  const { rerun: again } = rerunWords.value;
  const { attempts, next, ofTarget, previous, run } = answer;
  return (
    <>
      <div class="run-head">
        <nav class="dim" aria-label={t.path}>
          <a href={pathTo('runs')}>{runs.title}</a> {'/ '}
          <a href={pathTo('jobs', run.job)}>
            <Text>{run.job}</Text>
          </a>
        </nav>
        <h1>
          <Text>{t.title(run.item, run.job)}</Text>
          <Outcome outcome={run.outcome} />
          {run.fireTime === null && (
            <span title={noFireTimeMeans}>
              <Tag tone="off">{noFireTime}</Tag>
            </span>
          )}
        </h1>
        {run.fireTime === null ? (
          <span class="faint small">{again.noFireTime}</span>
        ) : (
          run.outcome !== 'running' && (
            <RerunButton job={run.job} items={[run.item]} fireTimes={[run.fireTime]} name={again.again} />
          )
        )}
      </div>
      <div class="cols now">
        <div class="stack">
          <TargetTimeline answer={answer} />
          {attempts.length > 0 && <Attempts attempts={attempts} />}
          {ofTarget.length > 1 && <Target run={run} ofTarget={ofTarget} />}
          <Panel title={t.neighbours}>
            <Neighbours previous={previous} next={next} />
          </Panel>
        </div>
        <RunFacts run={run} />
      </div>
    </>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly AttemptAnswer[] }) {
  const { run: t } = words.value;
  const { units } = texts.value;
  return (
    <Panel title={t.attemptsTitle}>
      <div class="scrolled">
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">{t.attempt}</th>
              <th scope="col">{t.started}</th>
              <th scope="col">{t.ended}</th>
              <th scope="col">{t.error}</th>
            </tr>
          </thead>
          <tbody>
            {attempts.map(({ attempt, endedAt, error, startedAt }) => (
              <tr key={attempt}>
                <td class="num">{attempt}</td>
                <td>
                  <Time at={startedAt} withSeconds />
                </td>
                <td>
                  {endedAt === null ? (
                    <span class="faint">{t.notSettled}</span>
                  ) : (
                    <span class="num">{span(Date.parse(endedAt) - Date.parse(startedAt), units)}</span>
                  )}
                </td>
                <td>{error !== null && <Text lines="first">{error}</Text>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Target({ ofTarget, run }: { readonly run: RunRow; readonly ofTarget: readonly RunRow[] }) {
  const { run: t } = words.value;
  return (
    <Panel title={t.targetTitle} beside={<span class="dim">{t.targetMeans}</span>}>
      <Rows runs={ofTarget} current={run.id} />
    </Panel>
  );
}

function Neighbours({ next, previous }: { readonly previous: RunRow | null; readonly next: RunRow | null }) {
  const { run: t } = words.value;
  return (
    <dl class="facts-list">
      {(
        [
          [t.previous, previous, t.noPrevious],
          [t.next, next, t.noNext],
        ] as const
      ).map(([name, run, none]) => (
        <Fact key={name} name={name}>
          {run === null ? (
            <span class="faint">{none}</span>
          ) : (
            <>
              <a href={pathTo('runs', run.id)}>
                <Time at={run.begunAt} withSeconds />
              </a>{' '}
              <Outcome outcome={run.outcome} />
            </>
          )}
        </Fact>
      ))}
    </dl>
  );
}

/** Runs, one a row; the one that is looked at is marked. */
function Rows({ current, runs }: { readonly runs: readonly RunRow[]; readonly current: string }) {
  const { run: t, runs: list, sources } = words.value;
  const { units } = texts.value;
  return (
    <table class="plain">
      <thead>
        <tr>
          <th scope="col">{list.columns.begun}</th>
          <th scope="col">{list.columns.outcome}</th>
          <th scope="col">{t.source}</th>
          <th scope="col">{list.columns.took}</th>
          <th scope="col">{list.columns.instance}</th>
          <th scope="col">{t.token}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id} aria-current={run.id === current ? 'true' : undefined}>
            <td>
              {run.id === current ? (
                <>
                  <Time at={run.begunAt} withSeconds /> <span class="faint">{t.this}</span>
                </>
              ) : (
                <a href={pathTo('runs', run.id)}>
                  <Time at={run.begunAt} withSeconds />
                </a>
              )}
            </td>
            <td>
              <Outcome outcome={run.outcome} />
            </td>
            <td>{sources[run.source] ?? <Text>{run.source}</Text>}</td>
            <td class="num">{run.durationMs !== null && span(run.durationMs, units)}</td>
            <td>
              <Mono>{run.instance ?? run.ip}</Mono>
            </td>
            <td>{run.token !== null && <Mono>{run.token}</Mono>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
