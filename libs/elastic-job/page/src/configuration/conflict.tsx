import { useState } from 'preact/hooks';
import type { ConfigAnswer } from '../../../src/console/contract/job-answers.js';
import { type Draft, goOnFrom } from './drafts.js';
import { type Meeting, meetingsOf } from './merge.js';
import { Shown } from './shown.js';
import { words } from './texts.js';

type Choice = 'theirs' | 'mine';

interface ConflictProps {
  readonly draft: Draft;
  /** The settings that are in force. */
  readonly present: ConfigAnswer;
  readonly onWent: () => void;
}

/** Both versions beside the edit, once somebody else has changed the settings. The edit stays as it is until then. */
export function Conflict({ draft, onWent, present }: ConflictProps) {
  const t = words.value.conflict;
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({});
  const meetings = meetingsOf(draft.base.settings, present.settings, draft.edits);
  const open = meetings.filter(({ field, isContested }) => isContested && choices[field] === undefined);
  const goOn = () => {
    if (open.length > 0) return;
    goOnFrom(present, new Set(Object.keys(choices).filter((field) => choices[field] === 'theirs')));
    onWent();
  };
  return (
    <section class="panel conflict" tabIndex={-1} aria-label={t.title}>
      <header>
        <h2>{t.title}</h2>
      </header>
      <p role="alert">{t.text(draft.base.version, present.version)}</p>
      {meetings.length === 0 ? (
        <p class="dim">{t.unseen}</p>
      ) : (
        <ul class="meetings">
          {meetings.map((meeting) => (
            <MeetingRow
              key={meeting.field}
              meeting={meeting}
              choice={choices[meeting.field]}
              choose={(choice) => setChoices({ ...choices, [meeting.field]: choice })}
            />
          ))}
        </ul>
      )}
      <footer>
        {open.length > 0 && <span class="dim">{t.choose(open.length)}</span>}
        <button type="button" class="btn main" aria-disabled={open.length > 0} onClick={goOn}>
          {t.goOn(present.version)}
        </button>
      </footer>
    </section>
  );
}

interface RowProps {
  readonly meeting: Meeting;
  readonly choice: Choice | undefined;
  readonly choose: (choice: Choice) => void;
}

function MeetingRow({ choice, choose, meeting }: RowProps) {
  const t = words.value.conflict;
  const { base, field, isContested, mine, theirs } = meeting;
  return (
    <li>
      <fieldset>
        <legend class="mono">{field}</legend>
        <div>
          <span class="dim">{t.base}</span> <Shown field={field} value={base} />
        </div>
        <div>
          <span class="dim">{t.theirs}</span> <Shown field={field} value={theirs} />
        </div>
        <div>
          <span class="dim">{t.mine}</span>{' '}
          {mine === undefined ? <span class="faint">{t.untouched}</span> : <Shown field={field} value={mine.value} />}
        </div>
        {isContested ? (
          <div class="choices">
            {(['theirs', 'mine'] as const).map((one) => (
              <label key={one}>
                <input type="radio" name={field} checked={choice === one} onChange={() => choose(one)} />
                {one === 'theirs' ? t.takeTheirs : t.takeMine}
              </label>
            ))}
          </div>
        ) : (
          <div class="faint small">{mine === undefined ? t.comes : t.alike}</div>
        )}
      </fieldset>
    </li>
  );
}
