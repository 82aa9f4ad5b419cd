import { useLocation } from 'preact-iso';
import { useState } from 'preact/hooks';
import type { ServerAnswer } from '../../../src/console/contract/answers.js';
import { pathTo } from '../api/index.js';
import { disableJobOnServer, enableJobOnServer } from '../changes/index.js';
import {
  askFor,
  type Column,
  Look,
  Panel,
  SearchField,
  Tag,
  useHeld,
  useRowHeight,
  VirtualTable,
} from '../parts/index.js';
import { may } from '../state/index.js';
import { number, Text, texts, visibleText } from '../text/index.js';

/** From so many on they can be searched. */
const MANY = 10;

interface Row {
  readonly job: string;
  readonly isDisabled: boolean;
}

interface ServerJobsProps {
  readonly facts: ServerAnswer;
  readonly reload: () => void;
}

/** The jobs that have run on a server, and the switch of each there. */
export function ServerJobs({ facts, reload }: ServerJobsProps) {
  const { locale, servers: t } = texts.value;
  // Rows stay where they are; what a row says does not wait.
  const { holding, shown: jobNames } = useHeld(facts.jobNames);
  const [q, setQ] = useState('');
  const disabled = new Set(facts.disabledJobNames);
  const part = q.toLowerCase();
  const rows = jobNames
    .filter((job) => job.toLowerCase().includes(part))
    .map((job): Row => ({ job, isDisabled: disabled.has(job) }));
  const all = (
    <a class="dim" href={`${pathTo('jobs')}?${new URLSearchParams({ server: facts.ip })}`}>
      {t.inList}
    </a>
  );
  return (
    <Panel
      title={t.jobs}
      beside={<span class="dim">{t.count(number(rows.length, locale), number(jobNames.length, locale))}</span>}
      right={all}
      on={holding}
    >
      {jobNames.length >= MANY && (
        <div class="in-panel">
          <SearchField label={t.searchJobs} value={q} onChange={setQ} />
        </div>
      )}
      <List ip={facts.ip} rows={rows} clear={() => setQ('')} reload={reload} />
    </Panel>
  );
}

interface ListProps {
  readonly ip: string;
  readonly rows: readonly Row[];
  readonly clear: () => void;
  readonly reload: () => void;
}

function List({ clear, ip, reload, rows }: ListProps) {
  const { route } = useLocation();
  const { jobs, looks, servers: t } = texts.value;
  const rowHeight = useRowHeight();
  if (rows.length === 0) return <Look title={jobs.none} action={{ name: looks.clearFilters, run: clear }} />;
  return (
    <VirtualTable<Row>
      label={t.jobs}
      class="server-jobs-grid"
      columns={columns(ip, reload)}
      count={rows.length}
      rowAt={(index) => rows[index]}
      keyAt={(index) => rows[index]?.job ?? index}
      rowHeight={rowHeight}
      onOpen={({ job }) => route(pathTo('jobs', job))}
    />
  );
}

function columns(ip: string, reload: () => void): readonly Column<Row>[] {
  const { jobs, servers: t } = texts.value;
  return [
    { key: 'job', name: jobs.columns.job, class: 'cut', cell: ({ job }) => <Name job={job} /> },
    { key: 'state', name: t.columns.here, cell: ({ isDisabled }) => <Switched isDisabled={isDisabled} /> },
    {
      key: 'switch',
      name: t.columns.switch,
      class: 'right',
      cell: (row) => may('operator') && <Switch row={row} ip={ip} reload={reload} />,
    },
  ];
}

function Name({ job }: { readonly job: string }) {
  return (
    <a href={pathTo('jobs', job)} title={visibleText(job)} tabIndex={-1}>
      <Text>{job}</Text>
    </a>
  );
}

function Switched({ isDisabled }: { readonly isDisabled: boolean }) {
  const { servers: t } = texts.value;
  return <Tag tone={isDisabled ? 'off' : 'ok'}>{isDisabled ? t.disabledHere : t.enabledHere}</Tag>;
}

interface SwitchProps {
  readonly row: Row;
  readonly ip: string;
  readonly reload: () => void;
}

function Switch({ ip, reload, row: { isDisabled, job } }: SwitchProps) {
  const { changes } = texts.value;
  const { name, title } = isDisabled ? changes.enableJobOnServer : changes.disableJobOnServer;
  const ask = () => {
    const change = isDisabled ? enableJobOnServer(job, ip) : disableJobOnServer(job, ip);
    askFor({ ...change, onDone: reload });
  };
  return (
    <button type="button" class="btn small" aria-label={visibleText(title(job, ip))} onClick={ask}>
      {name}
    </button>
  );
}
