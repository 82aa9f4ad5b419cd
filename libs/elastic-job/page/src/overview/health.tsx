import type { ComponentChildren } from 'preact';
import type { OverviewAnswer } from '../../../src/console/contract/answers.js';
import type { OverviewHistory } from '../../../src/console/contract/history-answers.js';
import { pathTo } from '../api/index.js';
import { number, Text, texts } from '../text/index.js';

type Tone = '' | 'warn' | 'bad';

/** The namespace in five numbers, and in one more where there is a history. */
export function Health({ facts }: { readonly facts: OverviewAnswer }) {
  const { locale, overview: t, servers } = texts.value;
  const [release] = facts.versions;
  const queued = facts.attention.queued ?? 0;
  const isIndexing = facts.indexed < facts.jobs;
  const named = facts.busiest.reduce((sum, { running }) => sum + running, 0);
  const state = facts.stale ? 'LOST' : facts.registry.state;
  const count = (value: number) => number(value, locale);
  return (
    <section class="panel" aria-label={t.health}>
      <dl class="cells">
        <Cell name={t.registry} tone={facts.stale ? 'bad' : ''} value={t.registryStates[state] ?? state.toLowerCase()}>
          <Text>{t.namespace(facts.registry.namespace)}</Text>
        </Cell>
        <Cell
          name={t.jobs}
          tone={facts.needing > 0 ? 'warn' : ''}
          value={<a href={pathTo('jobs')}>{count(facts.jobs)}</a>}
        >
          {isIndexing
            ? t.indexing(count(facts.indexed), count(facts.jobs))
            : t.jobsFine(Math.max(0, facts.jobs - facts.needing))}
        </Cell>
        <Cell
          name={t.instances}
          tone={facts.instances === 0 && facts.jobs > 0 ? 'bad' : facts.drainingInstances > 0 ? 'warn' : ''}
          value={
            <>
              {count(facts.instances)}
              {facts.drainingInstances > 0 && <small> {servers.drainingCount(facts.drainingInstances)}</small>}
            </>
          }
        >
          {t.onServers(facts.servers)}
          {typeof release?.version === 'string' && facts.versions.length === 1 && (
            <>
              {' · '}
              <Text>{release.version}</Text>
            </>
          )}
        </Cell>
        <Cell name={t.runningItems} tone="" value={count(facts.runningItems)}>
          {facts.busiest.length === 0 ? t.nothingRuns : t.runningIn(facts.busiest.length, named === facts.runningItems)}
        </Cell>
        <Cell name={t.queue} tone={queued > 0 ? 'warn' : ''} value={count(queued)}>
          {queued === 0 ? t.queueNone : t.queueSome(queued)}
        </Cell>
        {facts.history !== null && <History history={facts.history} />}
      </dl>
    </section>
  );
}

/** Fire times that were missed in the last day; that rows were dropped or the database is away comes before it. */
function History({ history }: { readonly history: OverviewHistory }) {
  const { locale, overview: t } = texts.value;
  const { dropped, missed, stale } = history;
  const isBehind = stale || dropped > 0;
  return (
    <Cell name={t.missed} tone={isBehind ? 'bad' : missed > 0 ? 'warn' : ''} value={number(missed, locale)}>
      {stale ? t.historyAway : dropped > 0 ? t.historyDropped(dropped) : t.historyWhole}
    </Cell>
  );
}

interface CellProps {
  readonly name: string;
  readonly tone: Tone;
  readonly value: ComponentChildren;
  readonly children: ComponentChildren;
}

function Cell({ children, name, tone, value }: CellProps) {
  return (
    <div>
      <dt>
        <span class={`dot ${tone}`} aria-hidden="true" />
        {name}
      </dt>
      <dd class="value">{value}</dd>
      <dd class="faint small cut">{children}</dd>
    </div>
  );
}
