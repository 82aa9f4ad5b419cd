import type { AuditAnswer, AuditEntry } from '../../../src/console/contract/answers.js';
import { get, pathTo, useReading } from '../api/index.js';
import { Deed } from '../audit/deed.js';
import { Look, Panel, Read, Tag, Time, useHeld } from '../parts/index.js';
import { sees } from '../state/index.js';
import { Text, texts } from '../text/index.js';

const MOST = 12;
/** Entries of other consoles have no frame. */
const EVERY_MS = 10_000;

/** The last entries of the audit. */
export function Changed() {
  const { looks, overview: t, roles } = texts.value;
  const all = (
    <a class="dim" href={pathTo('audit')}>
      {t.changedAll}
    </a>
  );
  if (!sees('operator')) {
    return (
      <Panel title={t.changed}>
        <Look title={looks.noRight} more={looks.noRightMore(roles.operator)} />
      </Panel>
    );
  }
  return (
    <Panel title={t.changed} right={all}>
      <Entries />
    </Panel>
  );
}

function Entries() {
  const entries = useReading<AuditAnswer>('audit', (signal) => get('/audit', { signal, query: { limit: MOST } }), {
    topics: ['audit'],
    everyMs: EVERY_MS,
  });
  return <Read of={entries}>{({ items }) => <List items={items} />}</Read>;
}

function List({ items }: { readonly items: readonly AuditEntry[] }) {
  const { holding, shown } = useHeld(items);
  if (shown.length === 0) return <Look title={texts.value.overview.changedNone} />;
  return (
    <ul {...holding}>
      {shown.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ul>
  );
}

/** An entry of the audit: who has done what in a line, and why below it. */
function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { outcomes, overview: t } = texts.value;
  const { at, by, outcome, reason } = entry;
  return (
    <li class="row deed">
      <span class="faint">
        <Time at={at} />
      </span>
      <div>
        <Deed entry={entry} />{' '}
        {outcome !== 'done' && <Tag tone={outcome === 'unknown' ? 'warn' : 'bad'}>{outcomes[outcome]}</Tag>}
        {by === 'outside' && <span class="faint">{t.outside}</span>}
        {reason !== null && reason !== '' && (
          <div class="faint">
            “<Text>{reason}</Text>”
          </div>
        )}
      </div>
    </li>
  );
}
