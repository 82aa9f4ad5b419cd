import type { RunRow } from '../../../src/console/contract/history-answers.js';
import { pathTo } from '../api/index.js';
import { Fact, Instance } from '../job/fact.js';
import { Time } from '../parts/index.js';
import { now } from '../state/index.js';
import { span, Text, texts } from '../text/index.js';
import { queryOf } from './filters.js';
import { FireTime, Origin } from './looks.js';
import { words } from './texts.js';

/** Events before and after a run that are looked at with it. */
const AROUND_MS = 60_000;

/** All that the history has of a run. */
export function RunFacts({ run }: { readonly run: RunRow }) {
  const { noFireTimeMeans, outcomes, run: t, sources } = words.value;
  const { units } = texts.value;
  const { begunAt, cause, durationMs, error, job, latenessMs, settledAt } = run;
  return (
    <aside class="panel inspector" aria-label={t.facts}>
      <header>
        <h2>{t.facts}</h2>
      </header>
      <p class="means dim">{run.fireTime === null ? noFireTimeMeans : outcomes[run.outcome].means}</p>
      <dl class="facts-list">
        <Fact name={t.begun}>
          <Time at={begunAt} withSeconds />
        </Fact>
        <Fact name={t.settled}>
          {settledAt === null ? (
            <>
              {t.notSettled}
              {run.outcome === 'running' && `, ${t.runsFor(span(now.value - Date.parse(begunAt), units))}`}
            </>
          ) : (
            <>
              <Time at={settledAt} withSeconds /> {durationMs !== null && `· ${t.took(span(durationMs, units))}`}
            </>
          )}
        </Fact>
        <Fact name={t.fireTime}>
          <FireTime at={run.fireTime} />
        </Fact>
        {latenessMs !== null && (
          <Fact name={t.lateness}>
            <span class="num">{span(latenessMs, units)}</span>
          </Fact>
        )}
        <Fact name={t.origin}>
          <Origin origin={run.origin} /> {run.origin?.includes(':') === true && <Mono>{run.origin}</Mono>}
        </Fact>
        <Fact name={t.source}>{sources[run.source] ?? <Text>{run.source}</Text>}</Fact>
        {cause !== null && (
          <Fact name={t.cause}>
            <Text>{cause}</Text>
          </Fact>
        )}
        <Fact name={t.attempts}>
          <span class="num">{run.attempts}</span>
        </Fact>
        <Fact name={t.instance}>
          {run.instance === null ? <span class="faint">–</span> : <Instance>{run.instance}</Instance>}
        </Fact>
        <Fact name={t.address}>
          <Mono>{run.ip}</Mono>
        </Fact>
        {run.version !== null && (
          <Fact name={t.version}>
            <Text>{run.version}</Text>
          </Fact>
        )}
        {run.token !== null && (
          <Fact name={t.token}>
            <Mono>{run.token}</Mono>
          </Fact>
        )}
        {run.epoch !== null && (
          <Fact name={t.epoch}>
            <span class="num">{run.epoch}</span>
          </Fact>
        )}
        {run.run !== null && (
          <Fact name={t.begin}>
            <Mono>{run.run}</Mono>
          </Fact>
        )}
        {run.launch !== null && run.launch > 1 && (
          <Fact name={t.launch}>
            <span class="num">{run.launch}</span>
          </Fact>
        )}
        <Fact name={t.task}>
          <Mono>{run.task}</Mono>
        </Fact>
      </dl>
      {error !== null && (
        <div class="error-text" role="group" aria-label={t.error} tabIndex={0}>
          <Text lines="all">{error}</Text>
        </div>
      )}
      <Links run={run} job={job} />
    </aside>
  );
}

export function Mono({ children }: { readonly children: string }) {
  return (
    <span class="mono">
      <Text>{children}</Text>
    </span>
  );
}

function Links({ job, run: { begunAt, fireTime, item, settledAt } }: { readonly job: string; readonly run: RunRow }) {
  const { run: t } = words.value;
  const end = settledAt === null ? now.peek() : Date.parse(settledAt);
  const around = {
    from: new Date(Date.parse(begunAt) - AROUND_MS).toISOString(),
    to: new Date(end + AROUND_MS).toISOString(),
  };
  return (
    <footer class="links">
      <a class="btn small" href={`${pathTo('jobs', job)}?item=${item}`}>
        {t.itemNow}
      </a>
      <a class="btn small bare" href={`${pathTo('jobs', job, 'runs')}${queryOf({ item })}`}>
        {t.itemRuns}
      </a>
      {fireTime !== null && (
        <a class="btn small bare" href={`${pathTo('jobs', job, 'runs')}${queryOf({ fireTime })}`}>
          {t.fireTimeRuns}
        </a>
      )}
      <a class="btn small bare" href={`${pathTo('jobs', job, 'events')}${queryOf(around)}`}>
        {t.events}
      </a>
    </footer>
  );
}
