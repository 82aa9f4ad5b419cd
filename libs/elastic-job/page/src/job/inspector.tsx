import { useEffect, useRef } from 'preact/hooks';
import type { ItemAnswer, LastRunAnswer } from '../../../src/console/contract/job-answers.js';
import { pathTo } from '../api/index.js';
import { cancelItem, confirmLost, disableItem, enableItem } from '../changes/index.js';
import { askFor, Boundary, type Change, later, Loading, Look, Since, Tag, Time } from '../parts/index.js';
import { may, now } from '../state/index.js';
import { number, span, Text, texts, visibleText } from '../text/index.js';
import { Fact, Instance } from './fact.js';
import { itemQueryOf } from './item-filters.js';
import { ItemRuns } from './item-runs.js';
import { MARKS, stateOf } from './item-state.js';
import type { ItemsProps } from './items.js';
import { ALL_RUNS, runQueryOf } from './run-filters.js';

const Why = later(() => import('../history/why.js').then((part) => part.Why));
const NARROW = '(max-width: 1000px)';

/** One item at a closer look. On a narrow screen it stands below the map, and is brought into sight. */
export function Inspector({ filters, items, job, show }: ItemsProps & { readonly job: string }) {
  const { inspector: t } = texts.value.job;
  const aside = useRef<HTMLElement>(null);
  const before = useRef(filters.item);
  useEffect(() => {
    if (filters.item !== undefined && before.current !== filters.item && matchMedia(NARROW).matches) {
      aside.current?.scrollIntoView({ block: 'start' });
    }
    before.current = filters.item;
  }, [filters.item]);
  const close = () => {
    // The cell from which it was opened has the focus again.
    document.querySelector<HTMLElement>(`#item-${filters.item} a`)?.focus();
    show({ item: undefined });
  };
  const title = filters.item === undefined ? texts.value.job.columns.item : t.title(filters.item);
  const item = items.items.value.find((one) => one.item === filters.item);
  return (
    <aside class="panel inspector" ref={aside} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {item?.parameter != null && (
          <span class="dim cut">
            <Text>{item.parameter}</Text>
          </span>
        )}
        {item !== undefined && <StateTag item={item} />}
        {filters.item !== undefined && (
          <span class="right">
            <button type="button" class="btn small bare" aria-label={t.close} title={t.close} onClick={close}>
              ×
            </button>
          </span>
        )}
      </header>
      <Boundary key={filters.item}>
        {filters.item === undefined ? (
          <p class="means dim">{t.choose}</p>
        ) : item === undefined ? (
          <Missing item={filters.item} items={items} />
        ) : (
          <Facts job={job} item={item} filters={filters} />
        )}
      </Boundary>
    </aside>
  );
}

function StateTag({ item }: { readonly item: ItemAnswer }) {
  const { states } = texts.value.job;
  const state = stateOf(item);
  return (
    <span title={states[state].means}>
      <Tag tone={MARKS[state].tone}>
        <span aria-hidden="true">{MARKS[state].glyph}</span> {states[state].name}
      </Tag>
    </span>
  );
}

function Missing({ item, items }: { readonly item: number } & Pick<ItemsProps, 'items'>) {
  const { job, locale } = texts.value;
  const total = items.total.value;
  if (total === undefined || items.items.value.length < total) return <Loading lines={4} />;
  return <Look title={job.inspector.unknown(item)} more={job.inspector.unknownMore(number(total, locale))} />;
}

type FactsProps = Pick<ItemsProps, 'filters'> & { readonly job: string; readonly item: ItemAnswer };

function Facts({ filters, item, job }: FactsProps) {
  const { inspector: t, states } = texts.value.job;
  const { disabled, holder, lastRun, misfired, owner, queued, task } = item;
  const itemsOf = (instance: string) => `${pathTo('jobs', job)}${itemQueryOf({ ...filters, instance })}`;
  return (
    <>
      <p class="means dim">{states[stateOf(item)].means}</p>
      <dl class="facts-list">
        <Fact name={t.owner}>
          {owner === null ? t.nobody : <InstanceLink href={itemsOf(owner)}>{owner}</InstanceLink>}
        </Fact>
        {holder !== null && holder !== owner && (
          <Fact name={t.holder}>
            <InstanceLink href={itemsOf(holder)}>{holder}</InstanceLink>
          </Fact>
        )}
        {queued !== null && (
          <Fact name={t.queued}>
            <Since at={queued} />
          </Fact>
        )}
        {disabled !== null && (
          <Fact name={t.disabled}>
            {disabled.by === null ? t.by(t.outside) : <Text>{t.by(disabled.by)}</Text>}{' '}
            {disabled.at !== null && <Time at={disabled.at} />}
            {disabled.reason !== null && disabled.reason !== '' && (
              <div class="faint">
                “<Text>{disabled.reason}</Text>”
              </div>
            )}
          </Fact>
        )}
        {task !== null && (
          <Fact name={t.task}>
            <Text>{t.taskLine(task.state, task.launch)}</Text> <Since at={task.since} />
            <div class="mono faint">
              <Text>{`${task.backend} ${task.id}`}</Text>
            </div>
            {task.node !== null && (
              <div class="faint">
                <Text>{t.node(task.node)}</Text>
              </div>
            )}
            {task.detail !== null && (
              <div class="faint">
                <Text lines="all">{task.detail}</Text>
              </div>
            )}
          </Fact>
        )}
        {misfired && <Fact name={t.misfired}>{t.misfiredMore}</Fact>}
        {lastRun === null ? <Fact name={t.lastRun}>{t.noRun}</Fact> : <Run run={lastRun} isRunning={holder !== null} />}
      </dl>
      {lastRun !== null && lastRun.outcome === 'failed' && <RunError run={lastRun} />}
      <Why job={job} item={item.item} />
      <ItemRuns job={job} item={item.item} />
      <footer class="inspector-foot">
        {changesOf(job, item).map((change) => (
          <button
            key={change.title}
            type="button"
            class={`btn small${change.isDangerous === true ? ' danger' : ''}`}
            onClick={() => askFor(change)}
          >
            {change.name}
          </button>
        ))}
        <a
          class="btn small bare"
          href={`${pathTo('jobs', job, 'runs')}${runQueryOf({ ...ALL_RUNS, item: item.item })}`}
        >
          {t.more}
        </a>
      </footer>
    </>
  );
}

/** Leaves the items of the instance alone. */
function InstanceLink({ children, href }: { readonly href: string; readonly children: string }) {
  return (
    <a href={href} title={texts.value.job.map.only(visibleText(children))}>
      <Instance>{children}</Instance>
    </a>
  );
}

/** Changes of it that the person may make. */
function changesOf(job: string, { disabled, holder, item, status, task }: ItemAnswer): readonly Change[] {
  if (!may('operator')) return [];
  const isOff = disabled !== null || status === 'DISABLED';
  return [
    isOff ? enableItem(job, item) : disableItem(job, item),
    ...(holder === null ? [] : [cancelItem(job, item)]),
    ...(task?.state === 'UNREACHABLE' && may('admin') ? [confirmLost(job, item)] : []),
  ];
}

function Run({ isRunning, run }: { readonly run: LastRunAnswer; readonly isRunning: boolean }) {
  const { job, units } = texts.value;
  const { inspector: t } = job;
  const { begunAt, cause, fireTime, instance, origin, outcome, settledAt, token } = run;
  const isPresent = isRunning && outcome === null;
  const lastMs = (settledAt === null ? now.value : Date.parse(settledAt)) - Date.parse(begunAt);
  return (
    <>
      <Fact name={isPresent ? t.run : t.lastRun}>
        <Time at={begunAt} withSeconds />{' '}
        {settledAt !== null && (
          <>
            – <Time at={settledAt} withSeconds />{' '}
          </>
        )}
        {isPresent && t.runs(span(lastMs, units))}
        {settledAt !== null && t.took(span(lastMs, units))}
        <div class="dim">
          {outcome !== null && t.outcome[outcome]}
          {cause !== null && (
            <>
              {' · '}
              <Text lines="all">{cause}</Text>
            </>
          )}
        </div>
      </Fact>
      <Fact name={t.instance}>
        <Instance>{instance}</Instance>
      </Fact>
      <Fact name={t.fireTime}>
        <Time at={fireTime} withSeconds />
      </Fact>
      <Fact name={t.origin}>
        {origin.startsWith('manual:') ? (
          <span title={visibleText(origin)}>{t.manual}</span>
        ) : (
          (t.origins[origin] ?? <Text>{origin}</Text>)
        )}
      </Fact>
      {token !== null && (
        <Fact name={t.token}>
          <span class="num">
            <Text>{token}</Text>
          </span>
        </Fact>
      )}
    </>
  );
}

function RunError({ run: { error, instance } }: { readonly run: LastRunAnswer }) {
  const { inspector: t } = texts.value.job;
  if (error === null) return <p class="means dim">{t.noError(visibleText(instance))}</p>;
  return (
    <div class="error-text" role="group" aria-label={t.error} tabIndex={0}>
      <Text lines="all">{error}</Text>
    </div>
  );
}
