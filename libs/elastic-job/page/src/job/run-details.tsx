import type { ExecutionAnswer } from '../../../src/console/contract/job-answers.js';
import { pathTo } from '../api/index.js';
import { Look, Tag, Time } from '../parts/index.js';
import { itemList, span, Text, texts } from '../text/index.js';
import { Fact, Instance } from './fact.js';
import { outcomeOf, OUTCOME_MARKS, type RunFilters, taskOf } from './run-filters.js';

interface DetailsProps {
  readonly job: string;
  /** Undefined until they were read. */
  readonly runs: readonly ExecutionAnswer[] | undefined;
  readonly filters: RunFilters;
  readonly show: (next: Partial<RunFilters>) => void;
}

/** One run at a closer look: all that the history has of it. */
export function RunDetails({ filters, job, runs, show }: DetailsProps) {
  const { inspector, runs: t } = texts.value.job;
  const run = runs?.find(({ id }) => id === filters.run);
  const title = run === undefined ? t.title : t.details(run.item);
  return (
    <aside class="panel inspector" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {run !== undefined && <Outcome run={run} />}
        {filters.run !== undefined && (
          <span class="right">
            <button
              type="button"
              class="btn small bare"
              aria-label={inspector.close}
              title={inspector.close}
              onClick={() => show({ run: undefined })}
            >
              ×
            </button>
          </span>
        )}
      </header>
      {filters.run === undefined || runs === undefined ? (
        <p class="means dim">{t.choose}</p>
      ) : run === undefined ? (
        <Look title={t.unknown} more={t.unknownMore} />
      ) : (
        <Facts job={job} run={run} />
      )}
    </aside>
  );
}

function Outcome({ run }: { readonly run: ExecutionAnswer }) {
  const outcome = outcomeOf(run);
  const { glyph, tone } = OUTCOME_MARKS[outcome];
  return (
    <Tag tone={tone}>
      <span aria-hidden="true">{glyph}</span> {texts.value.job.runs.outcomes[outcome]}
    </Tag>
  );
}

function Facts({ job, run }: { readonly job: string; readonly run: ExecutionAnswer }) {
  const { itemsNamed, job: words, more, units } = texts.value;
  const { inspector, runs: t } = words;
  const { completedAt, error, hostname, ip, item, source, startedAt, task } = run;
  const parsed = taskOf(task);
  const items = itemList(parsed?.items ?? []);
  return (
    <>
      <dl class="facts-list">
        <Fact name={t.started}>
          <Time at={startedAt} withSeconds />
        </Fact>
        <Fact name={t.ended}>
          {completedAt === null ? (
            t.notEnded
          ) : (
            <>
              <Time at={completedAt} withSeconds /> ·{' '}
              {inspector.took(span(Date.parse(completedAt) - Date.parse(startedAt), units))}
            </>
          )}
        </Fact>
        <Fact name={t.source}>{t.sources[source] ?? <Text>{source}</Text>}</Fact>
        <Fact name={t.host}>
          <Text>{hostname}</Text>{' '}
          <span class="mono dim">
            <Text>{ip}</Text>
          </span>
        </Fact>
        {parsed === undefined ? (
          <Fact name={t.task}>
            <Instance>{task}</Instance>
          </Fact>
        ) : (
          <>
            <Fact name={t.instance}>
              <Instance>{parsed.instance}</Instance>
            </Fact>
            <Fact name={t.items}>
              {itemsNamed(parsed.items.length, items.shown)} {items.more > 0 && more(items.more)}
            </Fact>
          </>
        )}
      </dl>
      {error !== null && (
        <div class="error-text" role="group" aria-label={inspector.error} tabIndex={0}>
          <Text lines="all">{error}</Text>
        </div>
      )}
      <footer class="inspector-foot">
        <a class="btn small" href={`${pathTo('jobs', job)}?item=${item}`}>
          {t.itemNow}
        </a>
      </footer>
    </>
  );
}
