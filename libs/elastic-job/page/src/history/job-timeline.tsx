import { useEffect, useMemo, useState } from 'preact/hooks';
import type {
  AttemptAnswer,
  EventRow,
  EventsAnswer,
  RunAnswer,
  RunRow,
  RunsAnswer,
} from '../../../src/console/contract/history-answers.js';
import { apiPath, get, present, useNewestFirst, useReading } from '../api/index.js';
import { Behind, Failed, Loading, Panel } from '../parts/index.js';
import { now } from '../state/index.js';
import { HERE, number, texts } from '../text/index.js';
import { crashedOf } from './event-facts.js';
import { isNoHistory, Stale } from './looks.js';
import { words } from './texts.js';
import { TimelineShownAs, TimelineView } from './timeline.js';
import { timelineOf } from './timeline-layout.js';

const PAGE = 200;
/** Most runs of a window: newer ones count. */
const MOST = 5_000;
/** Most runs whose attempts are read. */
const MOST_RETRIED = 12;
const EVERY_MS = 5_000;
const CRASHES_EVERY_MS = 15_000;
const LENGTHS_MS = { hour: 3_600_000, day: 86_400_000 };
const WINDOWS = ['hour', 'run', 'day'] as const;
type WindowName = (typeof WINDOWS)[number];

/** Runs of a job over time: those of its last fire time, or of the last hour or day. */
export function JobTimeline({ job }: { readonly job: string }) {
  const [window, setWindow] = useState<WindowName>('run');
  const latest = useReading<RunsAnswer>(
    `latest ${job}`,
    (signal) => get('/runs', { signal, query: { job, limit: 1 } }),
    { everyMs: EVERY_MS },
  );
  const run = latest.value.value?.items[0];
  // Runs of a Java peer have no fire time.
  const shown = window === 'run' && run?.fireTime === null ? 'hour' : window;
  const problem = latest.problem.value;
  if (isNoHistory(problem) && latest.value.value === undefined) return null;
  if (latest.value.value === undefined) {
    return (
      <Panel title={words.value.timeline.title}>
        {problem === undefined ? <Loading lines={4} /> : <Failed problem={problem} reload={latest.reload} />}
      </Panel>
    );
  }
  const key = shown === 'run' ? `run ${run?.fireTime ?? ''}` : shown;
  return <Windowed key={key} job={job} window={shown} fireTime={run?.fireTime ?? undefined} choose={setWindow} />;
}

interface WindowedProps {
  readonly job: string;
  readonly window: WindowName;
  readonly fireTime: string | undefined;
  readonly choose: (window: WindowName) => void;
}

function Windowed({ choose, fireTime, job, window }: WindowedProps) {
  const { timeline: t } = words.value;
  const { locale } = texts.value;
  const [isTable, setTable] = useState(false);
  // A cursor belongs to one query, so a window has one beginning.
  const from = useMemo(() => (window === 'run' ? undefined : present() - LENGTHS_MS[window]), []);
  const list = useRuns(job, window === 'run' ? { fireTime } : { from: isoOf(from) });
  const runs = list.value.value?.items ?? [];
  const since = from ?? Math.min(...runs.map(({ begunAt }) => Date.parse(begunAt)));
  const crashes = useCrashes(job, runs.length === 0 ? undefined : since);
  const attempts = useAttempts(runs);
  // It goes on by the second only while something runs.
  const isOpen = runs.some(({ outcome }) => outcome === 'running');
  const at = from !== undefined || isOpen ? now.value : 0;
  const timeline = useMemo(
    () => timelineOf({ runs, attempts, crashes, now: at, ...(from !== undefined && { from, to: at }) }),
    [runs, attempts, crashes, at],
  );
  const problem = list.problem.value;
  return (
    <Panel
      title={t.title}
      beside={
        <span class="dim">
          {runs.length >= MOST && `${t.most(number(runs.length, locale))} · `}
          {HERE}
        </span>
      }
      right={
        <>
          <span class="either" role="group" aria-label={t.window}>
            {WINDOWS.map((one) => (
              <button key={one} type="button" aria-pressed={one === window} onClick={() => choose(one)}>
                {t.windows[one]}
              </button>
            ))}
          </span>
          <TimelineShownAs isTable={isTable} onChange={setTable} />
        </>
      }
    >
      {list.value.value?.stale === true && <Stale />}
      {problem !== undefined && list.value.value !== undefined && <Behind problem={problem} reload={list.reload} />}
      {list.value.value !== undefined ? (
        <TimelineView timeline={timeline} runs={runs} isTable={isTable} />
      ) : problem === undefined ? (
        <Loading lines={4} />
      ) : (
        <Failed problem={problem} reload={list.reload} />
      )}
    </Panel>
  );
}

/** The runs of a window, read page by page up to the most. */
function useRuns(job: string, asked: Readonly<Record<string, string | undefined>>) {
  const list = useNewestFirst<RunRow>(
    `timeline ${job} ${JSON.stringify(asked)}`,
    (query, signal) => get<RunsAnswer>('/runs', { query: { job, ...asked, ...query, limit: PAGE }, signal }),
    { everyMs: EVERY_MS },
  );
  const { value } = list.value;
  useEffect(() => {
    if (value !== undefined && value.cursor !== null && value.items.length < MOST) list.more();
  }, [value]);
  return list;
}

const NO_CRASHES: readonly EventRow[] = [];

function useCrashes(job: string, from: number | undefined): readonly EventRow[] {
  const reading = useReading<EventsAnswer>(
    from === undefined ? undefined : `crashes ${job} ${from}`,
    (signal) => get('/events', { signal, query: { job, kinds: 'resharded', from: isoOf(from), limit: PAGE } }),
    { everyMs: CRASHES_EVERY_MS },
  );
  const items = reading.value.value?.items ?? NO_CRASHES;
  return useMemo(() => items.filter((event) => crashedOf(event).length > 0), [items]);
}

type Attempts = ReadonlyMap<string, readonly AttemptAnswer[]>;
const NO_ATTEMPTS: Attempts = new Map();

/** Attempts of the newest runs that were tried more than once. One that has ended is read once. */
function useAttempts(runs: readonly RunRow[]): Attempts {
  const retried = runs.filter(({ attempts }) => attempts > 1).slice(0, MOST_RETRIED);
  const key = retried.map(({ attempts, id, settledAt }) => `${id} ${attempts} ${settledAt}`).join();
  const reading = useReading<Attempts>(key === '' ? undefined : key, async (signal) => {
    const answers = await Promise.all(
      retried.map(async ({ id }) => get<RunAnswer>(apiPath('runs', id), { signal }).catch(() => undefined)),
    );
    return new Map(answers.flatMap((answer) => (answer === undefined ? [] : [[answer.run.id, answer.attempts]])));
  });
  return reading.value.value ?? NO_ATTEMPTS;
}

function isoOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
