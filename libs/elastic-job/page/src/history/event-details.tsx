import type { EventRow } from '../../../src/console/contract/history-answers.js';
import { pathTo } from '../api/index.js';
import { Fact, Instance } from '../job/fact.js';
import { Look, Time } from '../parts/index.js';
import { Text } from '../text/index.js';
import { detailsOf } from './event-facts.js';
import { eventItems, eventLine, Kind } from './event-columns.js';
import { queryOf } from './filters.js';
import { words } from './texts.js';

const AROUND_MS = 60_000;

interface DetailsProps {
  /** Id of the one that is chosen. */
  readonly id: string | undefined;
  /** Undefined until they were read. */
  readonly events: readonly EventRow[] | undefined;
  readonly close: () => void;
}

/** One event at a closer look: all that it tells. */
export function EventDetails({ close, events, id }: DetailsProps) {
  const { events: t } = words.value;
  const event = events?.find((one) => one.id === id);
  return (
    <aside class="panel inspector" aria-label={t.details}>
      <header>
        <h2>{t.details}</h2>
        {event !== undefined && <Kind kind={event.kind} />}
        {id !== undefined && (
          <span class="right">
            <button type="button" class="btn small bare" aria-label={t.close} title={t.close} onClick={close}>
              ×
            </button>
          </span>
        )}
      </header>
      {id === undefined || events === undefined ? (
        <p class="means dim">{t.choose}</p>
      ) : event === undefined ? (
        <Look title={t.unknown} more={t.unknownMore} />
      ) : (
        <Facts event={event} />
      )}
    </aside>
  );
}

function Facts({ event }: { readonly event: EventRow }) {
  const { events: t } = words.value;
  const { at, fireTime, instance, items, job } = event;
  const details = detailsOf(event);
  const line = eventLine(event);
  const around = {
    from: new Date(Date.parse(at) - AROUND_MS).toISOString(),
    to: new Date(Date.parse(at) + AROUND_MS).toISOString(),
  };
  return (
    <>
      <dl class="facts-list">
        <Fact name={t.columns.at}>
          <Time at={at} withSeconds />
        </Fact>
        {job !== null && (
          <Fact name={t.columns.job}>
            <a href={pathTo('jobs', job)}>
              <Text>{job}</Text>
            </a>
          </Fact>
        )}
        {items !== null && <Fact name={t.columns.items}>{eventItems(event)}</Fact>}
        {fireTime !== null && (
          <Fact name={t.fireTime}>
            <Time at={fireTime} withSeconds />
          </Fact>
        )}
        {line !== '' && <Fact name={t.columns.what}>{line}</Fact>}
        {instance !== null && (
          <Fact name={t.columns.instance}>
            <Instance>{instance}</Instance>
          </Fact>
        )}
      </dl>
      {details !== '' && (
        <div class="fields-list" role="group" aria-label={t.details} tabIndex={0}>
          <Text lines="all">{details}</Text>
        </div>
      )}
      {job !== null && (
        <footer class="links">
          <a class="btn small bare" href={`${pathTo('jobs', job, 'runs')}${queryOf(around)}`}>
            {t.runsThen}
          </a>
        </footer>
      )}
    </>
  );
}
