import type { ExecutionsAnswer } from '../../../src/console/contract/job-answers.js';
import { apiPath, get, pathTo, useReading } from '../api/index.js';
import { ProblemText, Tag, Time } from '../parts/index.js';
import { span, texts } from '../text/index.js';
import { ALL_RUNS, NO_HISTORY, OUTCOME_MARKS, outcomeOf, runQueryOf } from './run-filters.js';

const SHOWN = 5;
const EVERY_MS = 5_000;

/** The newest runs of an item in the history; nothing where there is no history. */
export function ItemRuns({ item, job }: { readonly job: string; readonly item: number }) {
  const { job: words, units } = texts.value;
  const { inspector: t, runs: names } = words;
  const runs = useReading(
    `runs ${item} ${job}`,
    (signal) => get<ExecutionsAnswer>(apiPath('jobs', job, 'executions'), { signal, query: { item, limit: SHOWN } }),
    { everyMs: EVERY_MS },
  );
  const shown = runs.value.value?.items ?? [];
  const problem = runs.problem.value;
  const isAway = problem !== undefined && !NO_HISTORY.includes(problem.code);
  if (shown.length === 0 && !isAway) return null;
  return (
    <section class="item-runs" aria-label={t.history}>
      <h3>{t.history}</h3>
      {isAway && (
        <p class="dim">
          <ProblemText problem={problem} />
        </p>
      )}
      <ul>
        {shown.map((run) => {
          const outcome = outcomeOf(run);
          const { glyph, tone } = OUTCOME_MARKS[outcome];
          return (
            <li key={run.id}>
              <a class="num" href={`${pathTo('jobs', job, 'runs')}${runQueryOf({ ...ALL_RUNS, item, run: run.id })}`}>
                <Time at={run.startedAt} withSeconds />
              </a>
              <Tag tone={tone}>
                <span aria-hidden="true">{glyph}</span> {names.outcomes[outcome]}
              </Tag>
              {run.completedAt !== null && (
                <span class="num dim">{span(Date.parse(run.completedAt) - Date.parse(run.startedAt), units)}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
