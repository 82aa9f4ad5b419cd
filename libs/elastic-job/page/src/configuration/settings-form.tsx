import { useRef, useState } from 'preact/hooks';
import type { ConfigAnswer, FireTimesAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, apiPath, asProblem, get, useReading } from '../api/index.js';
import { askFor, Panel, Read } from '../parts/index.js';
import { may, session } from '../state/index.js';
import { Text, texts } from '../text/index.js';
import { BesideJava, OfCode } from './beside.js';
import { changeConfig, previewConfig } from './config-change.js';
import { Conflict } from './conflict.js';
import { discard, draftOf, edit } from './drafts.js';
import { FieldOf } from './field.js';
import { type Field, FIELD_GROUPS } from './fields.js';
import { changesOf, type FormChanges } from './form.js';
import { Leaving } from './leaving.js';
import { type Preview, usePreview } from './preview.js';
import { CronSaid, Times } from './schedule.js';
import { SendBar, type Told } from './send-bar.js';
import { words } from './texts.js';

const AGAIN_MS = 5_000;
const NEXT = 5;
const WRONG = '[aria-invalid="true"]';

interface FormRef {
  readonly current: HTMLFormElement | null;
}

interface SettingsFormProps {
  readonly present: ConfigAnswer;
  readonly reload: () => void;
  /** Why the settings cannot be read. Then nobody knows what they are, and those that are given are corrected. */
  readonly problem?: string;
}

/** The form, or what it would hold for who may not change it. */
export function SettingsForm({ problem, present, reload }: SettingsFormProps) {
  const t = words.value;
  const draft = draftOf(present.job);
  const base = draft?.base ?? present;
  const edits = draft?.edits ?? {};
  const changes = changesOf(base.settings, edits);
  const preview = usePreview(base, changes);
  const form = useRef<HTMLFormElement>(null);
  const { forget, review, told } = useReview({ base, changes, form, reason: draft?.reason ?? '', reload });
  const isMet = draft !== undefined && base.version !== present.version;
  const mayEdit = may('operator');
  // Where nobody knows a value, a field must be able to say that.
  const isShown = ({ kind }: Field) => problem === undefined || (kind !== 'flag' && kind !== 'props');
  return (
    <form ref={form} class="configuration" onSubmit={review} noValidate>
      {!mayEdit && (
        <div class="told">{session.value?.readOnly === true ? texts.value.problems.READ_ONLY : t.viewer}</div>
      )}
      {problem !== undefined && (
        <div class="told bad" role="alert">
          <strong>{t.unreadable}</strong>
          <div>
            <Text lines="all">{problem}</Text>
          </div>
          <div>{t.unreadableMore}</div>
        </div>
      )}
      {isMet && <Conflict draft={draft} present={present} onWent={() => focusIn(form, '.send-bar .main')} />}
      <div class="cols">
        <div class="stack">
          {FIELD_GROUPS.map(([group, fields]) => (
            <Panel
              key={group}
              title={t.groups[group]}
              beside={group === 'schedule' && <span class="dim">{t.version(base.version)}</span>}
            >
              <div class="settings">
                {fields.filter(isShown).map((field) => (
                  <FieldOf
                    key={field.name}
                    field={field}
                    value={base.settings[field.name]}
                    edited={edits[field.name]}
                    fault={changes.faults.get(field.name)}
                    problems={preview.problems.get(field.name) ?? []}
                    mayEdit={mayEdit && (field.isOfAdmins !== true || may('admin'))}
                    onEdit={(raw) => {
                      forget();
                      edit(present, field.name, raw);
                    }}
                    below={field.name === 'cron' && <CronSaid cron={base.settings.cron} typed={textOf(edits.cron)} />}
                  />
                ))}
              </div>
            </Panel>
          ))}
        </div>
        <div class="stack">
          {problem === undefined && <Next base={base} changes={changes} preview={preview} />}
          <BesideJava
            unshareable={preview.answer?.unshareable ?? present.unshareable}
            note={preview.answer?.note ?? present.note}
          />
          <OfCode />
        </div>
      </div>
      {draft !== undefined && (
        <>
          <Leaving count={Object.keys(edits).length} />
          <SendBar
            fields={Object.keys(edits)}
            told={told}
            others={preview.others}
            onCompare={isMet ? () => focusIn(form, '.conflict') : undefined}
            onDiscard={() => discard(present.job)}
          />
        </>
      )}
    </form>
  );
}

interface NextProps {
  readonly base: ConfigAnswer;
  readonly changes: FormChanges;
  readonly preview: Preview;
}

/** The next five times as they are, and as they would be. */
function Next({ base, changes, preview }: NextProps) {
  const t = words.value;
  const { job, settings } = base;
  const next = useReading(
    `fire times of ${job} ${base.version}`,
    (signal) => get<FireTimesAnswer>(apiPath('jobs', job, 'fire-times'), { query: { count: NEXT }, signal }),
    { everyMs: AGAIN_MS },
  );
  const after = { ...settings, ...changes.settings };
  const isEdited = changes.faults.size > 0 || Object.keys(changes.settings).length > 0;
  return (
    <Panel title={t.next}>
      <Read of={next}>
        {({ fireTimes, timeZone }) => (
          <Times
            {...(isEdited && { title: t.asIs })}
            times={fireTimes}
            zone={timeZone}
            hasCron={settings.cron !== null}
          />
        )}
      </Read>
      {isEdited && preview.answer !== undefined && (
        <Times
          title={t.asEdited}
          times={preview.answer.fireTimes.after}
          zone={textOf(after.timeZone) ?? null}
          hasCron={after.cron !== null}
        />
      )}
      {preview.isWrong && <p class="hint side-panel">{t.nextWrong}</p>}
    </Panel>
  );
}

interface Reviewed {
  readonly base: ConfigAnswer;
  readonly changes: FormChanges;
  readonly form: FormRef;
  readonly reason: string;
  readonly reload: () => void;
}

/** Asks the API what the edit would do, and then the person. */
function useReview({ base, changes, form, reason, reload }: Reviewed) {
  const [told, setTold] = useState<Told>();
  const review = async (event: Event) => {
    event.preventDefault();
    const { faults, settings } = changes;
    if (faults.size > 0) {
      setTold({ kind: 'wrong', count: faults.size });
      return focusIn(form, WRONG);
    }
    if (Object.keys(settings).length === 0) return setTold({ kind: 'same' });
    setTold({ kind: 'checking' });
    try {
      const preview = await previewConfig(base.job, base.version, settings);
      if (preview.changes.length === 0) return setTold({ kind: 'same' });
      setTold(undefined);
      const zone = textOf({ ...base.settings, ...settings }.timeZone) ?? null;
      askFor(changeConfig({ preview, settings, unshareable: base.unshareable, zone, reason, reload }));
    } catch (error) {
      const problem = asProblem(error);
      setTold(problem && toldOf(problem));
      if (problem?.status === 412) reload();
      else focusIn(form, WRONG);
    }
  };
  return { told, review, forget: () => setTold(undefined) };
}

function toldOf(problem: ApiProblem): Told | undefined {
  // Both versions are shown instead.
  return problem.status === 412 ? undefined : { kind: 'problem', problem };
}

/** Once what has changed is shown. */
function focusIn(form: FormRef, selector: string): void {
  requestAnimationFrame(() => form.current?.querySelector<HTMLElement>(selector)?.focus());
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
