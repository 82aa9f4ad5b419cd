import { useEffect, useState } from 'preact/hooks';
import { Look } from '../parts/index.js';
import { now } from '../state/index.js';
import { HERE, language, Text, texts, visibleText, weekday, zoneName } from '../text/index.js';
import { fireTimesIn, intlZone } from './clock-changes.js';
import { cronWords } from './cron-words.js';
import { quartzOf } from './form.js';
import { words } from './texts.js';

/** Below the field of the cron: what Quartz writes for a Unix one, and what it says. */
export function CronSaid({ cron, typed }: { readonly cron: unknown; readonly typed: string | undefined }) {
  const quartz = typed === undefined ? undefined : quartzOf(typed);
  const shown = typed === undefined ? cron : (quartz ?? typed);
  const said = useCronWords(typeof shown === 'string' ? shown.trim() : '');
  return (
    <div role="status" class="small">
      {quartz !== undefined && (
        <div class="dim">
          {words.value.asQuartz} <code>{quartz}</code>
        </div>
      )}
      {said !== undefined && <div class="cron-words">{said}</div>}
    </div>
  );
}

function useCronWords(cron: string): string | undefined {
  const [said, setSaid] = useState<{ readonly key: string; readonly text: string | undefined }>();
  const spoken = language.value;
  const key = `${spoken} ${cron}`;
  useEffect(() => {
    let isLeft = false;
    if (cron !== '') {
      void cronWords(cron, spoken)
        .catch(() => undefined)
        .then((text) => isLeft || setSaid({ key, text }));
    }
    return () => void (isLeft = true);
  }, [key]);
  return said?.key === key ? said.text : undefined;
}

interface TimesProps {
  readonly title?: string;
  readonly times: readonly string[];
  /** That of the job; null: it names none. */
  readonly zone: string | null;
  readonly hasCron: boolean;
}

/** Fire times in the zone of the job. A day on which the clocks change says so. */
export function Times({ hasCron, times, title, zone }: TimesProps) {
  const t = words.value;
  const shownZone = zone ?? HERE;
  // They count from the present at which they were read: a list that is shown does not change each second.
  const [present] = useState(now.peek());
  return (
    <div class="times">
      {title !== undefined && <h3>{title}</h3>}
      {times.length === 0 ? (
        <Look title={hasCron ? t.nextNone : t.nextAsked} />
      ) : (
        <ol>
          {fireTimesIn(times, shownZone, present).map(({ at, change, isSecond, offset, text }) => (
            <li key={at}>
              <time dateTime={new Date(at).toISOString()}>
                <span class="dim">{weekday(at, intlZone(shownZone), texts.value.locale)}</span> {text}{' '}
                <span class="faint">{offset}</span>
              </time>
              {change !== undefined && <span class="clock-change">{t.clocks(change.from, change.to)}</span>}
              {isSecond && <span class="clock-change">{t.second}</span>}
            </li>
          ))}
        </ol>
      )}
      <div class="hint">
        <Text>{zone === null ? t.noZone(HERE) : nameOf(zone)}</Text>
      </div>
    </div>
  );
}

/** A zone that this device does not know is shown in UTC, and named so. */
function nameOf(zone: string): string {
  const known = intlZone(zone);
  return zoneName(known) === known ? visibleText(zone) : `${zoneName(known)} (${visibleText(zone)})`;
}
