import type { OverviewAnswer } from '../../../src/console/contract/answers.js';
import type { ItemsAnswer, JobAnswer, JobRow } from '../../../src/console/contract/job-answers.js';
import { apiPath, get, pathTo, useReading } from '../api/index.js';
import { confirmLost, enableItem, enableJob, reshardJob, triggerJob } from '../changes/index.js';
import { askFor, type Change, Look, Panel, Since, Tag, Time, useHeld } from '../parts/index.js';
import { may } from '../state/index.js';
import { itemList, number, Text, texts } from '../text/index.js';
import { type Cause, causesOf, needsDetails, REASON_TONES } from './causes.js';

/** As many items as a page of the API has at most. */
const MOST_ITEMS = 200;

/** Causes of the jobs that need attention most, one a line. */
export function Attention({ facts }: { readonly facts: OverviewAnswer }) {
  const t = texts.value;
  const { holding, isHeld, shown } = useHeld(facts.worst);
  const others = facts.needing - facts.worst.length;
  const right = isHeld ? <span class="faint small">{t.looks.held}</span> : undefined;
  const count = <Tag tone={facts.needing > 0 ? 'bad' : 'ok'}>{number(facts.needing, t.locale)}</Tag>;
  return (
    <Panel title={t.overview.attention} beside={count} right={right} class="causes" on={holding}>
      {shown.length === 0 ? (
        <Nothing facts={facts} />
      ) : (
        <ul>
          {shown.map((row) => (
            <JobCauses key={row.job} row={row} />
          ))}
          {others > 0 && (
            <li class="row others">
              <a class="dim" href={`${pathTo('jobs')}?attention=any&sort=-attention`}>
                {t.overview.others(others)}
              </a>
            </li>
          )}
        </ul>
      )}
    </Panel>
  );
}

function Nothing({ facts }: { readonly facts: OverviewAnswer }) {
  const { jobsCount, locale, overview: t } = texts.value;
  if (facts.jobs === 0) return <Look title={t.noJobs} more={t.noJobsMore} />;
  if (facts.indexed < facts.jobs) {
    return <Look title={t.indexing(number(facts.indexed, locale), number(facts.jobs, locale))} />;
  }
  return <Look title={t.allWell} more={t.allWellMore(jobsCount(facts.jobs))} />;
}

function JobCauses({ row }: { readonly row: JobRow }) {
  const { job, status } = row;
  const key = needsDetails(row) ? `${job} ${status} ${row.attention.join()} ${row.disabledItems.length}` : undefined;
  const details = useReading(
    key,
    async (signal) => {
      const [answer, items] = await Promise.all([
        get<JobAnswer>(apiPath('jobs', job), { signal }),
        get<ItemsAnswer>(apiPath('jobs', job, 'items'), { signal, query: { limit: MOST_ITEMS } }),
      ]);
      return { job: answer, items: items.items };
    },
    { everyMs: 30_000 },
  );
  return (
    <>
      {causesOf(row, details.value.value ?? {}).map((cause) => (
        <CauseLine key={cause.reason} row={row} cause={cause} />
      ))}
    </>
  );
}

interface CauseLineProps {
  readonly row: JobRow;
  readonly cause: Cause;
  /** In the view of the job itself, which needs no link to it. */
  readonly isInJob?: boolean;
}

/** Why a job needs attention, since when, and the action that fits. */
export function CauseLine({ cause, isInJob = false, row }: CauseLineProps) {
  const { attention, overview: t } = texts.value;
  const action = may('operator') ? actionFor(row, cause) : undefined;
  return (
    <li class="row">
      <span class="tags">
        <Tag tone={REASON_TONES[cause.reason]}>{attention[cause.reason].name}</Tag>
      </span>
      {!isInJob && (
        <a class="job cut" href={pathTo('jobs', row.job)}>
          <Text>{row.job}</Text>
        </a>
      )}
      <div class="what">
        <div class="cut">{whatOf(row, cause)}</div>
        <div class="faint cut">
          {cause.text === undefined ? attention[cause.reason].means : <Text lines="first">{cause.text}</Text>}
        </div>
      </div>
      <div class="when">
        {cause.since === undefined ? <span class="faint small">{t.sinceUnknown}</span> : <Since at={cause.since} />}
        <Beside row={row} cause={cause} isInJob={isInJob} />
      </div>
      <div class="actions">
        {action !== undefined && (
          <button type="button" class="btn small" onClick={() => askFor(action)}>
            {action.name}
          </button>
        )}
        {!isInJob && (
          <a class="btn small bare" href={pathTo('jobs', row.job)}>
            {t.open}
          </a>
        )}
      </div>
    </li>
  );
}

/** The last run that was good, of what fails; else when it fires next. */
function Beside({ cause, isInJob, row }: Required<CauseLineProps>) {
  const { overview: t } = texts.value;
  const { instances, lastGoodAt, nextFireTime } = row;
  const isFailing = cause.reason === 'failed' && lastGoodAt !== null;
  if (!isFailing && (isInJob || nextFireTime === null || instances === 0)) return null;
  return (
    <div class="faint small">
      {isFailing ? t.lastGood('') : t.next('')}
      <Time at={isFailing ? lastGoodAt : (nextFireTime ?? '')} />
    </div>
  );
}

function whatOf(row: JobRow, { by, items, reason }: Cause): string {
  const { lines } = texts.value.overview;
  const { itemsNamed, more } = texts.value;
  const { more: rest, shown } = itemList(items);
  const named = items.length === 0 ? '' : `${itemsNamed(items.length, shown)}${rest > 0 ? ` ${more(rest)}` : ''}`;
  if (reason === 'disabled') return lines.disabled(named, by?.by ?? undefined);
  if (reason === 'mixed') return lines.mixed(row.javaInstances, row.instances);
  if (named !== '') return lines.items(named, row.items);
  return lines.job(row.items, row.instances);
}

/** The change that fits a cause; undefined: look first. */
function actionFor(row: JobRow, { by, items, reason }: Cause): Change | undefined {
  const { job, status } = row;
  const [first] = items;
  switch (reason) {
    case 'failed':
    case 'overdue':
      return row.instances === 0 ? undefined : triggerJob(row);
    case 'disabled':
      if (status === 'DISABLED') return enableJob(job, by);
      return first !== undefined && items.length === 1 ? enableItem(job, first, by) : undefined;
    case 'no-owner':
      return reshardJob(job);
    case 'task-unreachable':
      return first !== undefined && items.length === 1 && may('admin') ? confirmLost(job, first) : undefined;
    case 'crashed':
    case 'mixed':
    case 'no-leader':
    case 'queued':
    case 'unreachable':
    case 'unreadable':
      return undefined;
    default:
      return reason satisfies never;
  }
}
