import { useLocation } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import type { ItemAnswer, JobAnswer } from '../../../src/console/contract/job-answers.js';
import { pathTo } from '../api/index.js';
import { disableJob, enableJob, removeJob, reshardJob, resignJob, shutdownJob, triggerJob } from '../changes/index.js';
import { StatusTags } from '../jobs/columns.js';
import { causesOf } from '../overview/causes.js';
import { CauseLine } from '../overview/attention.js';
import { askFor, MayNot, Menu, MenuItem, Tag, Time, Until } from '../parts/index.js';
import { may } from '../state/index.js';
import { rerunJob } from '../reruns/rerun.js';
import { words as rerunWords } from '../reruns/texts.js';
import { number, Text, texts, visibleText } from '../text/index.js';
import { instanceName } from './map-layout.js';

interface HeaderProps {
  readonly facts: JobAnswer;
  readonly items: readonly ItemAnswer[];
}

/** The job: its name and state, why it needs attention, what it is, and what can be done. */
export function Header({ facts, items }: HeaderProps) {
  const { job: t, live, locale, nav } = texts.value;
  const causes = causesOf(facts, { job: facts, items });
  return (
    <div class="job-header">
      <div class="job-head">
        <div class="job-name">
          <div class="dim">
            <a href={pathTo('jobs')}>{nav.jobs}</a>
            {facts.label !== null && (
              <>
                {' / '}
                <a href={`${pathTo('jobs')}?${new URLSearchParams({ label: facts.label })}`}>
                  <Text>{facts.label}</Text>
                </a>
              </>
            )}
          </div>
          <h1>
            <Text>{facts.job}</Text>
            <StatusTags row={facts} />
            {facts.running > 0 && <Tag tone="run">▸ {t.running(number(facts.running, locale))}</Tag>}
            {facts.stale && <Tag tone="warn">{live.registryAway}</Tag>}
          </h1>
          {facts.description !== '' && (
            <p class="dim description">
              <Text>{facts.description}</Text>
            </p>
          )}
          <Facts facts={facts} />
        </div>
        {may('operator') ? <Actions facts={facts} /> : <MayNot />}
      </div>
      {causes.length > 0 && (
        <ul class="panel causes job-causes">
          {causes.map((cause) => (
            <CauseLine key={cause.reason} row={facts} cause={cause} isInJob />
          ))}
        </ul>
      )}
    </div>
  );
}

function Facts({ facts }: { readonly facts: JobAnswer }) {
  const { instances, items, job: t, jobs } = texts.value;
  const { after, cron, leader, nextFireTime, resident, servers, template, timeZone } = facts;
  const off = servers.filter(({ disabled }) => disabled).length;
  return (
    <div class="facts">
      <span>
        {cron === null ? (
          <b>{resident ? jobs.resident : jobs.onRequest}</b>
        ) : (
          <code>
            <Text>{cron}</Text>
          </code>
        )}{' '}
        {timeZone !== null && <Text>{timeZone}</Text>}
      </span>
      {cron !== null && (
        <span>
          {nextFireTime === null ? (
            t.noNext
          ) : (
            <>
              {t.next}{' '}
              <b>
                <Time at={nextFireTime} zone={timeZone} />
              </b>{' '}
              <Until at={nextFireTime} />
            </>
          )}
        </span>
      )}
      <span>{t.on(items(facts.items), instances(facts.instances))}</span>
      {leader !== null && (
        <span title={visibleText(leader)}>
          {t.leader}{' '}
          <b class="mono">
            <Text>{instanceName(leader).ip}</Text>
          </b>
        </span>
      )}
      {template !== null && (
        <span>
          {t.template} <Link href={`${pathTo('jobs')}?${new URLSearchParams({ template })}`}>{template}</Link>
        </span>
      )}
      {after.length > 0 && (
        <span>
          {t.after}{' '}
          {after.map((parent) => (
            <>
              <Link key={parent} href={pathTo('jobs', parent)}>
                {parent}
              </Link>{' '}
            </>
          ))}
        </span>
      )}
      {off > 0 && off < servers.length && <span>{t.serversOff(off, servers.length)}</span>}
      {facts.disabled !== null && <span>{t.newServers[facts.disabled.newServers]}</span>}
    </div>
  );
}

function Link({ children, href }: { readonly href: string; readonly children: string }): ComponentChildren {
  return (
    <a href={href}>
      <b>
        <Text>{children}</Text>
      </b>
    </a>
  );
}

function Actions({ facts }: { readonly facts: JobAnswer }) {
  const { instances, items, job, leader, servers, status } = facts;
  const { changes, job: t } = texts.value;
  const { route } = useLocation();
  return (
    <div class="actions">
      <button type="button" class="btn main" onClick={() => askFor(triggerJob(facts))}>
        {changes.trigger.name}
      </button>
      {status === 'DISABLED' ? (
        <button type="button" class="btn" onClick={() => askFor(enableJob(job, facts.disabled))}>
          {changes.enable.name}
        </button>
      ) : (
        <button type="button" class="btn" onClick={() => askFor(disableJob(job))}>
          {changes.disable.name}
        </button>
      )}
      <Menu button="•••" label={t.actions} class="btn bare">
        {status !== 'DISABLED' && servers.some(({ disabled }) => disabled) && (
          <MenuItem onSelect={() => askFor(enableJob(job))}>{changes.enable.name}</MenuItem>
        )}
        <MenuItem onSelect={() => askFor(rerunJob(job, [...Array(items).keys()], []))}>
          {rerunWords.value.rerun.menu}
        </MenuItem>
        <MenuItem onSelect={() => askFor(reshardJob(job))}>{changes.reshard.name}</MenuItem>
        <MenuItem onSelect={() => askFor(resignJob(job, leader))}>{changes.resign.name}</MenuItem>
        {may('admin') && (
          <>
            <MenuItem onSelect={() => askFor(shutdownJob(job, instances))}>{changes.shutdown.name}</MenuItem>
            <MenuItem onSelect={() => askFor(removeJob(job, () => route(pathTo('jobs'))))}>
              {changes.remove.name}
            </MenuItem>
          </>
        )}
      </Menu>
    </div>
  );
}
