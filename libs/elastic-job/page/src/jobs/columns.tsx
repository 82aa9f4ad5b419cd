import type { JobRow } from '../../../src/console/contract/job-answers.js';
import { pathTo } from '../api/index.js';
import { REASON_TONES } from '../overview/causes.js';
import { type Column, Tag, Time, type Tone } from '../parts/index.js';
import { Text, texts, visibleText } from '../text/index.js';

const STATUS_TONES: Readonly<Record<JobRow['status'], Tone>> = {
  OK: 'ok',
  DISABLED: 'off',
  CRASHED: 'bad',
  SHARDING_FLAG: 'move',
};

/**
 * Columns of the list, in the language of the page. Each may be wider than its room, and is cut.
 * @param hasHistory that knows how the last fire times have ended
 */
export function jobColumns(hasHistory: boolean): readonly Column<JobRow>[] {
  const { columns: name } = texts.value.jobs;
  return [
    { key: 'job', name: name.job, isSortable: true, class: 'cut', cell: (row) => <Name row={row} /> },
    { key: 'attention', name: name.status, isSortable: true, class: 'cut', cell: (row) => <StatusTags row={row} /> },
    { key: 'cron', name: name.cron, class: 'cut', cell: (row) => <Cron row={row} /> },
    ...(hasHistory ? [{ key: 'lastTen', name: name.lastTen, cell: (row: JobRow) => <LastTen row={row} /> }] : []),
    { key: 'nextFireTime', name: name.next, isSortable: true, class: 'cut', cell: (row) => <Next row={row} /> },
    { key: 'running', name: name.running, isSortable: true, class: 'right', cell: (row) => <Running row={row} /> },
    {
      key: 'items',
      name: name.items,
      isSortable: true,
      class: 'right',
      cell: ({ items }) => <span class="num">{items}</span>,
    },
    {
      key: 'instances',
      name: name.instances,
      isSortable: true,
      class: 'right',
      cell: (row) => <Instances row={row} />,
    },
  ];
}

/** How the last ten fire times have ended, the newest at the right. */
function LastTen({ row: { lastFireTimes } }: Cell) {
  if (lastFireTimes === null) return null;
  const { results } = texts.value.jobs;
  const label = lastFireTimes.map((result) => results[result]).join(', ');
  return (
    <span class="ten" role="img" aria-label={label} title={label}>
      {lastFireTimes.map((result, index) => (
        <i key={index} class={result} />
      ))}
    </span>
  );
}

interface Cell {
  readonly row: JobRow;
}

function Name({ row: { job, label } }: Cell) {
  return (
    <>
      {/* The row itself takes the focus, and opens the job as well. */}
      <a href={pathTo('jobs', job)} title={visibleText(job)} tabIndex={-1}>
        <Text>{job}</Text>
      </a>{' '}
      {label !== null && (
        <span class="faint">
          <Text>{label}</Text>
        </span>
      )}
    </>
  );
}

/** The state of a job, and why it needs attention. */
export function StatusTags({ row }: Cell) {
  const { attention, jobs: t } = texts.value;
  const { isBeingRemoved, registeredIn, status } = row;
  const reasons = row.attention.filter(
    (reason) => !(reason === 'disabled' && status === 'DISABLED') && reason !== 'crashed',
  );
  return (
    <span class="tags">
      {(status !== 'OK' || reasons.length === 0) && <Tag tone={STATUS_TONES[status]}>{t.statuses[status]}</Tag>}
      {isBeingRemoved && <Tag tone="warn">{t.removing}</Tag>}
      {reasons.map((reason) => (
        <Tag key={reason} tone={REASON_TONES[reason]}>
          {attention[reason].name}
        </Tag>
      ))}
      {registeredIn !== 'code' && <Tag tone="accent">{t.registeredIn[registeredIn]}</Tag>}
    </span>
  );
}

function Cron({ row: { cron, resident, timeZone } }: Cell) {
  const { jobs: t } = texts.value;
  if (cron === null) return <span class="faint">{resident ? t.resident : t.onRequest}</span>;
  return (
    <>
      <code>
        <Text>{cron}</Text>
      </code>{' '}
      {timeZone !== null && (
        <span class="faint small">
          <Text>{timeZone}</Text>
        </span>
      )}
    </>
  );
}

function Next({ row: { nextFireTime } }: Cell) {
  return nextFireTime === null ? <span class="faint">–</span> : <Time at={nextFireTime} />;
}

function Running({ row: { running } }: Cell) {
  if (running === 0) return <span class="faint num">0</span>;
  return (
    <Tag tone="run">
      <span class="num">▸ {running}</span>
    </Tag>
  );
}

function Instances({ row: { inTasks, instances, javaInstances } }: Cell) {
  const { jobs: t } = texts.value;
  return (
    <span class="num">
      {instances}
      {javaInstances > 0 && <span class="faint"> · {t.java(javaInstances)}</span>}
      {inTasks && <span class="faint"> · {t.inTasks}</span>}
    </span>
  );
}
