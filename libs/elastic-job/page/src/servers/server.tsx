import './servers.css';
import { useLocation, useRoute } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import type { ServerAnswer, ServerInstanceAnswer } from '../../../src/console/contract/answers.js';
import { apiPath, get, pathTo, type Reading, useReading } from '../api/index.js';
import { AuditList } from '../audit/audit-list.js';
import { disableServer, enableServer, removeServer, shutdownServer } from '../changes/index.js';
import { askFor, type Change, Look, Menu, MenuItem, Panel, Read, Tag, useTitle } from '../parts/index.js';
import { may, session } from '../state/index.js';
import { number, Text, texts, visibleText } from '../text/index.js';
import { InstanceState, Offset, Releases } from './instance-facts.js';
import { ServerJobs } from './server-jobs.js';

const EVERY_MS = 5_000;
/** The console reads the jobs of a server that is looked at every two seconds. */
const AGAIN_MS = 2_500;

export function Server() {
  const { params } = useRoute();
  const ip = params.ip ?? '';
  return <OneServer key={ip} ip={ip} />;
}

function OneServer({ ip }: { readonly ip: string }) {
  const { servers: t } = texts.value;
  const again = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const server = useReading<ServerAnswer>(`server ${ip}`, (signal) => get(apiPath('servers', ip), { signal }), {
    everyMs: EVERY_MS,
  });
  useTitle(visibleText(ip), t.title);
  useEffect(() => () => clearTimeout(again.current), []);
  /** Once at once, and once when the console has read what a change has made. */
  const reload = () => {
    server.reload();
    clearTimeout(again.current);
    again.current = setTimeout(server.reload, AGAIN_MS);
  };
  const isMissing = server.value.value === undefined && server.problem.value?.status === 404;
  if (isMissing) {
    return (
      <Look
        title={t.missing(visibleText(ip))}
        more={t.missingMore}
        action={{ name: t.toAll, href: pathTo('servers') }}
        isPage
      />
    );
  }
  return (
    <>
      <Head ip={ip} server={server} reload={reload} />
      <Read of={server} lines={6}>
        {(facts) => <Facts facts={facts} reload={reload} />}
      </Read>
    </>
  );
}

interface HeadProps {
  readonly ip: string;
  readonly server: Reading<ServerAnswer>;
  readonly reload: () => void;
}

function Head({ ip, reload, server }: HeadProps) {
  const { servers: t } = texts.value;
  const facts = server.value.value;
  return (
    <div class="view-head">
      <nav aria-label={t.path}>
        <a class="dim" href={pathTo('servers')}>
          {t.title}
        </a>
      </nav>
      <h1 class="address">
        <Text>{ip}</Text>
      </h1>
      {facts !== undefined && (
        <span class="tags">
          {facts.disabledJobs > 0 && (
            <Tag>{facts.disabledJobs === facts.jobs ? t.disabled : t.disabledIn(facts.disabledJobs, facts.jobs)}</Tag>
          )}
          {facts.drainingInstances > 0 && <Tag tone="move">{t.drainingCount(facts.drainingInstances)}</Tag>}
          {facts.instances.length === 0 && <Tag>{t.gone}</Tag>}
        </span>
      )}
      <span class="push" />
      {facts !== undefined && <Actions facts={facts} reload={reload} />}
    </div>
  );
}

interface FactsProps {
  readonly facts: ServerAnswer;
  readonly reload: () => void;
}

/** A switch of a whole server reaches jobs that a caller with a prefix does not see, so that is refused. */
function Actions({ facts, reload }: FactsProps) {
  const { route } = useLocation();
  const { changes, servers: t } = texts.value;
  const { disabledJobs, instances, ip, jobs } = facts;
  if (!may('operator')) return null;
  if (session.value?.jobPrefix !== null) return <span class="faint small">{t.beyondPrefix}</span>;
  const ask = (change: Change) => askFor({ ...change, onDone: change.onDone ?? reload });
  const remove = () => removeServer(ip, instances.length, () => route(pathTo('servers')));
  return (
    <span class="actions">
      {disabledJobs > 0 && (
        <button type="button" class="btn" onClick={() => ask(enableServer(ip))}>
          {changes.enableServer.name}
        </button>
      )}
      {disabledJobs < jobs && (
        <button type="button" class="btn" onClick={() => ask(disableServer(ip))}>
          {changes.disableServer.name}
        </button>
      )}
      {may('admin') && (
        <Menu button={t.more} class="btn">
          <MenuItem onSelect={() => ask(shutdownServer(ip, instances.length))}>
            {changes.shutdownServer.name} …
          </MenuItem>
          <MenuItem onSelect={() => ask(remove())}>{changes.removeServer.name} …</MenuItem>
        </Menu>
      )}
    </span>
  );
}

function Facts({ facts, reload }: FactsProps) {
  const { servers: t } = texts.value;
  return (
    <div class="cols">
      <div class="stack">
        <Members members={facts.members} />
        <ServerJobs facts={facts} reload={reload} />
      </div>
      <Panel title={t.audit}>
        <AuditList filters={{ server: facts.ip }} />
      </Panel>
    </div>
  );
}

function Members({ members }: { readonly members: readonly ServerInstanceAnswer[] }) {
  const { locale, servers: t } = texts.value;
  return (
    <Panel title={t.instances} beside={<span class="dim">{number(members.length, locale)}</span>}>
      {members.length === 0 ? (
        <Look title={t.noInstance} more={t.noInstanceMore} />
      ) : (
        <>
          <ul>
            {members.map((member) => (
              <Member key={member.instance} member={member} />
            ))}
          </ul>
          <p class="faint small note">{t.clockMeans}</p>
        </>
      )}
    </Panel>
  );
}

function Member({ member }: { readonly member: ServerInstanceAnswer }) {
  const { jobsCount, servers: t } = texts.value;
  const { clockOffsetMs, instance, java, jobs, leads, version } = member;
  return (
    <li class="row member">
      <code class="name">
        <Text>{instance}</Text>
      </code>
      <span class="tags">
        <InstanceState member={member} />
      </span>
      <Releases versions={version === null ? [] : [version]} isOurs={!java} />
      <span class="dim">
        {jobsCount(jobs)}
        {leads > 0 && ` · ${t.leads(leads)}`}
      </span>
      <span class="clock">
        <Offset ms={clockOffsetMs} />
      </span>
    </li>
  );
}
