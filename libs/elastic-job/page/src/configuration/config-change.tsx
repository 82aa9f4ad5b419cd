import type { ConfigChangedAnswer } from '../../../src/console/contract/answers.js';
import type { ConfigPreviewAnswer } from '../../../src/console/contract/job-answers.js';
import { apiPath, change } from '../api/index.js';
import type { Change } from '../parts/index.js';
import { Text, texts, visibleText } from '../text/index.js';
import { Diff } from './diff.js';
import { discard, keepReason } from './drafts.js';
import { HIDDEN, type Settings } from './form.js';
import { Times } from './schedule.js';
import { Unshareable } from './beside.js';
import { words } from './texts.js';

const OF_SCHEDULE = ['cron', 'timeZone', 'clockChange'];

interface Wanted {
  readonly preview: ConfigPreviewAnswer;
  /** Names of the settings that Java instances do not follow as they are. */
  readonly unshareable: readonly string[];
  readonly settings: Settings;
  /** The zone of the job afterwards. */
  readonly zone: string | null;
  readonly reason: string;
  /** Reads the settings again. */
  readonly reload: () => void;
}

/** Asks what would become of the settings. It changes nothing. @throws {ApiProblem} 400, 403, 412 */
export function previewConfig(job: string, version: number, settings: Settings): Promise<ConfigPreviewAnswer> {
  return change('PATCH', apiPath('jobs', job, 'config'), { query: { preview: 'true' }, body: { settings }, version });
}

/** The change of the settings of a job, as its dialog says and sends it. */
export function changeConfig({ preview, reason, reload, settings, unshareable: before, zone }: Wanted): Change {
  const t = words.peek().change;
  const { changes, fireTimes, job, note, unshareable, version } = preview;
  const of = (field: string) => changes.find((one) => one.field === field);
  const isTimed = changes.some(({ field }) => OF_SCHEDULE.includes(field));
  const isLost = changes.some((one) => one.before === HIDDEN);
  // Without Java instances, what was so before is no news.
  const told = note === null ? unshareable.filter((name) => !before.includes(name)) : unshareable;
  const isAsked = isTimed && fireTimes.after.length === 0;
  return {
    title: t.title(visibleText(job)),
    name: t.name,
    will: [
      ...t.will,
      ...(of('shardingTotalCount') === undefined ? [] : [t.willItems]),
      ...(isTimed ? [isAsked ? t.willAsked : t.willCron] : []),
    ],
    cannot: [...t.cannot, ...(isLost ? [t.cannotSecret] : [])],
    reason,
    preview: (
      <>
        <Diff changes={changes} />
        {isTimed && !isAsked && <Times title={words.value.next} times={fireTimes.after} zone={zone} hasCron />}
        {told.length > 0 && <Unshareable settings={told} isShared={note !== null} />}
        {note !== null && (
          <div class="told warn">
            <strong>{texts.value.changes.note}</strong>
            <div>
              <Text>{note}</Text>
            </div>
          </div>
        )}
      </>
    ),
    look: ['jobs', job, 'config'],
    send: async (given) => {
      const body = { settings, ...(given.reason !== undefined && { reason: given.reason }) };
      const path = apiPath('jobs', job, 'config');
      try {
        const answer = await change<ConfigChangedAnswer>('PATCH', path, { body, version });
        const isSame = answer.version === version;
        const text = isSame ? t.becameSame(answer.version) : t.became(answer.version);
        return { text, note: answer.note, audit: answer.audit };
      } finally {
        reload();
      }
    },
    onDone: () => discard(job),
    onConflict: (typed) => keepReason(job, typed),
  };
}
