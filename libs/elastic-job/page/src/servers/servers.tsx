import './servers.css';
import { useLocation } from 'preact-iso';
import type { ServerRow, ServersAnswer } from '../../../src/console/contract/answers.js';
import { get, pathTo, useReading } from '../api/index.js';
import {
  type Column,
  Look,
  Read,
  SearchField,
  Tag,
  useHeld,
  useRowHeight,
  useTitle,
  VirtualTable,
} from '../parts/index.js';
import { number, Text, texts, visibleText } from '../text/index.js';
import { Offset, Releases } from './instance-facts.js';

const EVERY_MS = 5_000;
const PAGE = 200;
/** Most servers that are listed: of more a search finds those that somebody looks for. */
const MOST = 2_000;

type Servers = Pick<ServersAnswer, 'items' | 'matching' | 'total'>;

export function Servers() {
  const { query, route } = useLocation();
  const { servers: t } = texts.value;
  const q = query.q ?? '';
  const servers = useReading<Servers>(`servers ${q}`, (left) => readServers(q, left), { everyMs: EVERY_MS });
  useTitle(t.title);
  const search = (text: string) => {
    route(`${pathTo('servers')}${text === '' ? '' : `?${new URLSearchParams({ q: text })}`}`, true);
  };
  return (
    <>
      <h1 class="unshown">{t.title}</h1>
      <div class="filters" role="search" aria-label={t.search}>
        <SearchField label={t.search} value={q} onChange={search} />
      </div>
      <section class="panel tall" aria-label={t.title}>
        <header>
          <h2>{t.title}</h2>
          <Count servers={servers.value.value} />
        </header>
        <Read of={servers} lines={6}>
          {(found) => <List servers={found} clear={() => search('')} />}
        </Read>
      </section>
    </>
  );
}

async function readServers(q: string, left: AbortSignal): Promise<Servers> {
  let items: readonly ServerRow[] = [];
  let cursor: string | undefined;
  for (;;) {
    const query = { ...(q !== '' && { q }), limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await get<ServersAnswer>('/servers', { query, signal: left });
    items = [...items, ...page.items];
    const { matching, total } = page;
    if (page.cursor === null || items.length >= MOST) return { items, matching, total };
    cursor = page.cursor;
  }
}

function Count({ servers }: { readonly servers: Servers | undefined }) {
  const { locale, servers: t } = texts.value;
  if (servers === undefined) return null;
  const { items, matching, total } = servers;
  const count = (value: number) => number(value, locale);
  return (
    <span class="dim" role="status">
      {t.count(count(matching), count(total))}
      {items.length < matching && ` · ${t.cut(count(items.length))}`}
    </span>
  );
}

function List({ clear, servers }: { readonly servers: Servers; readonly clear: () => void }) {
  const { route } = useLocation();
  const { looks, servers: t } = texts.value;
  const { holding, shown } = useHeld(servers);
  const rowHeight = useRowHeight();
  const rows = shown.items;
  if (rows.length === 0 && shown.total > 0) {
    return <Look title={t.none} more={t.noneMore} action={{ name: looks.clearFilters, run: clear }} />;
  }
  if (rows.length === 0) return <Look title={t.empty} more={t.emptyMore} />;
  return (
    <div class="tall" {...holding}>
      <VirtualTable<ServerRow>
        label={t.title}
        class="servers-grid"
        columns={columns()}
        count={rows.length}
        rowAt={(index) => rows[index]}
        keyAt={(index) => rows[index]?.ip ?? index}
        rowHeight={rowHeight}
        onOpen={({ ip }) => route(pathTo('servers', ip))}
      />
    </div>
  );
}

function columns(): readonly Column<ServerRow>[] {
  const { locale, servers } = texts.value;
  const { columns: name } = servers;
  return [
    { key: 'ip', name: name.ip, class: 'cut', cell: (row) => <Address row={row} /> },
    { key: 'state', name: name.state, class: 'cut', cell: (row) => <State row={row} /> },
    { key: 'release', name: name.release, class: 'cut', cell: (row) => <ServerReleases row={row} /> },
    { key: 'clock', name: name.clock, class: 'cut', cell: ({ clockOffsetMs }) => <Offset ms={clockOffsetMs} /> },
    { key: 'instances', name: name.instances, class: 'right', cell: (row) => <Instances row={row} /> },
    {
      key: 'jobs',
      name: name.jobs,
      class: 'right',
      cell: ({ jobs }) => <span class="num">{number(jobs, locale)}</span>,
    },
  ];
}

interface Cell {
  readonly row: ServerRow;
}

function Address({ row: { ip } }: Cell) {
  return (
    // The row itself takes the focus, and opens the server as well.
    <a class="address" href={pathTo('servers', ip)} title={visibleText(ip)} tabIndex={-1}>
      <Text>{ip}</Text>
    </a>
  );
}

function State({ row: { disabledJobs, drainingInstances, instances, jobs } }: Cell) {
  const { servers: t } = texts.value;
  const isOn = instances.length > 0 && disabledJobs === 0 && drainingInstances === 0;
  return (
    <span class="tags">
      {isOn && <Tag tone="ok">{t.runs}</Tag>}
      {instances.length === 0 && <Tag>{t.gone}</Tag>}
      {disabledJobs > 0 && <Tag>{disabledJobs === jobs ? t.disabled : t.disabledIn(disabledJobs, jobs)}</Tag>}
      {drainingInstances > 0 && <Tag tone="move">{t.drainingCount(drainingInstances)}</Tag>}
    </span>
  );
}

function ServerReleases({ row: { instances, javaInstances, versions } }: Cell) {
  return <Releases versions={versions} isOurs={instances.length > javaInstances} />;
}

function Instances({ row: { instances, javaInstances } }: Cell) {
  const { jobs: t } = texts.value;
  return (
    <span class="num">
      {instances.length}
      {javaInstances > 0 && <span class="faint"> · {t.java(javaInstances)}</span>}
    </span>
  );
}
