import type { RunsAnswer } from '../../../src/console/contract/history-answers.js';
import type { ExecutionsAnswer } from '../../../src/console/contract/job-answers.js';
import { ApiProblem, apiPath, get, pathTo, useReading } from '../api/index.js';
import { ProblemText, Tag, Time } from '../parts/index.js';
import { span, texts } from '../text/index.js';
import { ALL_RUNS, NO_HISTORY, OUTCOME_MARKS, type Outcome, outcomeOf, runQueryOf } from './run-filters.js';

const SHOWN = 5;
const EVERY_MS = 5_000;

interface ShownRun {
  readonly id: string;
  readonly begunAt: string;
  readonly settledAt: string | null;
  readonly outcome: Outcome;
  readonly href: string;
}

/** The newest runs of an item in the history; nothing where there is no history. */
export function ItemRuns({ item, job }: { readonly job: string; readonly item: number }) {
  const { job: words, units } = texts.value;
  const { inspector: t, runs: names } = words;
  const runs = useReading(`runs ${item} ${job}`, async (signal) => readRuns(job, item, signal), { everyMs: EVERY_MS });
  const shown = runs.value.value ?? [];
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
        {shown.map(({ begunAt, href, id, outcome, settledAt }) => {
          const { glyph, tone } = OUTCOME_MARKS[outcome];
          return (
            <li key={id}>
              <a class="num" href={href}>
                <Time at={begunAt} withSeconds />
              </a>
              <Tag tone={tone}>
                <span aria-hidden="true">{glyph}</span> {names.outcomes[outcome]}
              </Tag>
              {settledAt !== null && (
                <span class="num dim">{span(Date.parse(settledAt) - Date.parse(begunAt), units)}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Where the tables of this history are missing, the runs of ElasticJob's own ones. */
async function readRuns(job: string, item: number, signal: AbortSignal): Promise<readonly ShownRun[]> {
  try {
    const { items } = await get<RunsAnswer>('/runs', { signal, query: { job, item, limit: SHOWN } });
    return items.map((run) => ({
      ...run,
      outcome: run.outcome === 'succeeded' ? 'succeeded' : run.settledAt === null ? 'unfinished' : 'failed',
      href: pathTo('runs', run.id),
    }));
  } catch (error) {
    if (!(error instanceof ApiProblem && NO_HISTORY.includes(error.code))) throw error;
  }
  const query = { item, limit: SHOWN };
  const { items } = await get<ExecutionsAnswer>(apiPath('jobs', job, 'executions'), { signal, query });
  return items.map((run) => ({
    id: run.id,
    begunAt: run.startedAt,
    settledAt: run.completedAt,
    outcome: outcomeOf(run),
    href: `${pathTo('jobs', job, 'runs')}${runQueryOf({ ...ALL_RUNS, item, run: run.id })}`,
  }));
}
