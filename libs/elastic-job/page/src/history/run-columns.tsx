import type { RunRow } from '../../../src/console/contract/history-answers.js';
import { pathTo } from '../api/index.js';
import { type Column, Time } from '../parts/index.js';
import { span, Text, texts, visibleText } from '../text/index.js';
import { ErrorLine, FireTime, Origin, Outcome } from './looks.js';
import { words } from './texts.js';

/** Fields of a run as a file has them. */
export const RUN_FIELDS = [
  'id',
  'job',
  'item',
  'fireTime',
  'origin',
  'source',
  'outcome',
  'cause',
  'begunAt',
  'settledAt',
  'durationMs',
  'latenessMs',
  'attempts',
  'run',
  'token',
  'epoch',
  'instance',
  'ip',
  'version',
  'task',
  'launch',
  'error',
] as const satisfies readonly (keyof RunRow)[];

/** Columns of a list of runs. @param isOfJob leaves out the job, which is that of the view */
export function runColumns(isOfJob: boolean): readonly Column<RunRow>[] {
  const { columns: name } = words.value.runs;
  const { units } = texts.value;
  const columns: readonly Column<RunRow>[] = [
    {
      key: 'begun',
      name: name.begun,
      class: 'cut',
      cell: ({ begunAt, id }) => (
        <a href={pathTo('runs', id)} tabIndex={-1}>
          <Time at={begunAt} withSeconds />
        </a>
      ),
    },
    {
      key: 'job',
      name: name.job,
      class: 'cut',
      cell: ({ job }) => (
        <a href={pathTo('jobs', job)} title={visibleText(job)} tabIndex={-1}>
          <Text>{job}</Text>
        </a>
      ),
    },
    { key: 'item', name: name.item, class: 'right', cell: ({ item }) => <span class="num">{item}</span> },
    { key: 'outcome', name: name.outcome, class: 'cut', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    { key: 'fireTime', name: name.fireTime, class: 'cut', cell: ({ fireTime }) => <FireTime at={fireTime} /> },
    { key: 'origin', name: name.origin, class: 'cut', cell: ({ origin }) => <Origin origin={origin} /> },
    {
      key: 'took',
      name: name.took,
      class: 'right cut',
      cell: ({ durationMs }) => durationMs !== null && <span class="num">{span(durationMs, units)}</span>,
    },
    {
      key: 'late',
      name: name.late,
      class: 'right cut',
      cell: ({ latenessMs }) => latenessMs !== null && <span class="num">{span(latenessMs, units)}</span>,
    },
    {
      key: 'instance',
      name: name.instance,
      class: 'cut',
      cell: ({ instance, ip }) => (
        <span class="mono" title={visibleText(instance ?? ip)}>
          <Text>{instance ?? ip}</Text>
        </span>
      ),
    },
    {
      key: 'version',
      name: name.version,
      class: 'cut',
      cell: ({ version }) => version !== null && <Text>{version}</Text>,
    },
    { key: 'error', name: name.error, class: 'cut', cell: ({ error }) => <ErrorLine error={error} /> },
  ];
  return isOfJob ? columns.filter(({ key }) => key !== 'job') : columns;
}
