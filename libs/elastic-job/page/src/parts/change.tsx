/**
 * The dialog of every change. It says what will happen and what cannot be undone, asks for a reason, waits for the
 * registry, and then shows what became of it.
 *
 * ```ts
 * askFor(disableJob(job)); // src/changes has one function for each change
 * ```
 *
 * A change is sent once. Where its answer is lost nobody knows if it was made: then the dialog says so, and where to
 * look, and does not offer to send it again. A session that is over in between asks for the log-in above the dialog,
 * whose fields stay.
 */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type ApiProblem, asProblem, isOutcomeUnknown, pathTo } from '../api/index.js';
import { session } from '../state/index.js';
import { Text, texts, visibleText } from '../text/index.js';
import { Dialog } from './dialog.js';
import { letGo } from './held.js';
import { ProblemText } from './looks.js';
import { TextField } from './text-field.js';

/** The end of a change. */
interface Became {
  readonly text: string;
  /** Tells what does not follow the change, such as a Java peer. */
  readonly note?: string | null;
  /** Id of its entry. */
  readonly audit: string;
  /** For one that was followed and has done nothing. */
  readonly isWarning?: boolean;
}

export interface Change {
  /** Names of the registry in it are made visible by the dialog. */
  readonly title: string;
  readonly name: string;
  readonly will: readonly string[];
  readonly cannot: readonly string[];
  readonly isDangerous?: boolean;
  /** Has to be typed before it may be sent: the name of what is lost. */
  readonly typed?: string;
  /** One more text to send. */
  readonly field?: { readonly label: string; readonly hint: string };
  /** More to look at before it is sent, such as a diff. */
  readonly preview?: ComponentChildren;
  /** False while what is chosen in `preview` cannot be sent. */
  readonly isReady?: ReadonlySignal<boolean>;
  /** Offers for another try after a refusal, with a function that takes the refusal away. */
  readonly remedy?: (problem: ApiProblem, settle: () => void) => ComponentChildren;
  /** The view in which what it has changed can be seen. */
  readonly look: readonly string[];
  readonly send: (given: { readonly reason?: string; readonly field?: string }) => Promise<Became>;
  /** A reason that was typed before. */
  readonly reason?: string;
  /** Called once it was made, before the dialog is closed. */
  readonly onDone?: () => void;
  /** Called on a 412, with the reason that was typed. The dialog closes: the view shows both versions. */
  readonly onConflict?: (reason: string) => void;
}

const asked = signal<Change | undefined>(undefined);

/** Opens the dialog of a change. */
export function askFor(change: Change): void {
  asked.value = change;
}

/** Stands once in the frame. */
export function ChangeDialog() {
  const change = asked.value;
  return change === undefined ? null : <Asking key={change.title} change={change} />;
}

type State =
  | { readonly kind: 'asking'; readonly problem?: ApiProblem | undefined }
  | { readonly kind: 'sending' }
  | { readonly kind: 'done'; readonly became: Became };

function Asking({ change }: { readonly change: Change }) {
  const t = texts.value.changes;
  const [state, setState] = useState<State>({ kind: 'asking' });
  const [reason, setReason] = useState(change.reason ?? '');
  const [field, setField] = useState('');
  const [typed, setTyped] = useState('');
  const close = () => (asked.value = undefined);
  const needsReason = session.value?.requireReason === true && reason.trim() === '';
  const isTooLong = reason.length > 512;
  const isTyped = change.typed === undefined || typed === change.typed;
  const isReady = !needsReason && !isTooLong && isTyped && change.isReady?.value !== false;

  const isSending = state.kind === 'sending';
  const problem = state.kind === 'asking' ? state.problem : undefined;
  const isLost = problem !== undefined && isOutcomeUnknown(problem);

  const send = async (event: Event) => {
    event.preventDefault();
    if (!isReady || isLost || state.kind === 'sending') return;
    setState({ kind: 'sending' });
    try {
      const became = await change.send({
        ...(reason.trim() !== '' && { reason: reason.trim() }),
        ...(field !== '' && { field }),
      });
      setState({ kind: 'done', became });
      change.onDone?.();
    } catch (error) {
      const refusal = asProblem(error);
      if (refusal?.status === 412 && change.onConflict !== undefined) {
        close();
        change.onConflict(reason);
      } else setState({ kind: 'asking', problem: refusal });
    }
  };

  if (state.kind === 'done') {
    const leave = () => {
      letGo();
      close();
    };
    return <Done change={change} became={state.became} close={leave} />;
  }
  return (
    <Dialog title={visibleText(change.title)} onCancel={isSending ? undefined : close}>
      <Sentences title={t.will} lines={change.will} />
      <Sentences title={t.cannot} lines={change.cannot.length === 0 ? [t.cannotNone] : change.cannot} />
      {change.preview}
      <form class="stack" onSubmit={send}>
        {change.field !== undefined && (
          <label class="field">
            <span>{change.field.label}</span>
            <textarea class="input mono" value={field} onInput={(event) => setField(event.currentTarget.value)} />
            <span class="hint">{change.field.hint}</span>
          </label>
        )}
        <TextField label={t.reason} value={reason} autofocus onText={setReason}>
          <span class={isTooLong ? 'wrong' : 'hint'}>
            {isTooLong ? t.reasonLine : session.value?.requireReason === true ? t.reasonNeeded : t.reasonHint}
          </span>
        </TextField>
        {change.typed !== undefined && (
          <TextField label={t.typeName(visibleText(change.typed))} class="mono" value={typed} onText={setTyped} />
        )}
        {problem !== undefined && <Problem problem={problem} change={change} />}
        {problem !== undefined && change.remedy?.(problem, () => setState({ kind: 'asking' }))}
        <footer>
          <button type="button" class="btn" disabled={isSending} onClick={close}>
            {isLost ? t.close : t.cancel}
          </button>
          {!isLost && (
            <button
              type="submit"
              class={`btn ${change.isDangerous === true ? 'danger' : 'main'}`}
              aria-disabled={!isReady || isSending}
            >
              {isSending ? `${t.waiting} …` : change.name}
            </button>
          )}
        </footer>
        <span class="unshown" role="status">
          {isSending && t.waiting}
        </span>
      </form>
    </Dialog>
  );
}

function Sentences({ lines, title }: { readonly title: string; readonly lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}

function Problem({ change, problem }: { readonly change: Change; readonly problem: ApiProblem }) {
  const { changes: t, looks } = texts.value;
  const { fields = [], requestId } = problem.answer;
  const title = isOutcomeUnknown(problem)
    ? t.unknown
    : problem.status === 412
      ? t.conflict
      : problem.code === 'PARTLY_DONE'
        ? t.partly
        : t.failed;
  return (
    <div class={`told ${isOutcomeUnknown(problem) ? 'warn' : 'bad'}`} role="alert">
      <strong>{title}</strong>
      <div>
        {isOutcomeUnknown(problem) ? (
          t.unknownMore
        ) : problem.status === 412 ? (
          t.conflictMore
        ) : (
          <ProblemText problem={problem} />
        )}
      </div>
      {fields.map(({ field, problem: what }) => (
        <div key={field}>
          <Text lines="all">{`${field} ${what}`}</Text>
        </div>
      ))}
      {isOutcomeUnknown(problem) && (
        <a class="btn small" href={pathTo(...change.look)} onClick={() => (asked.value = undefined)}>
          {t.look}
        </a>
      )}
      {requestId !== '' && <div class="faint small">{looks.request(requestId)}</div>}
    </div>
  );
}

interface DoneProps {
  readonly change: Change;
  readonly became: Became;
  readonly close: () => void;
}

function Done({ became, change, close }: DoneProps) {
  const t = texts.value.changes;
  const { note = null } = became;
  return (
    <Dialog title={visibleText(change.title)} onCancel={close}>
      <div class={`told ${became.isWarning === true ? 'warn' : 'ok'}`} role="status">
        <Text>{became.text}</Text>
      </div>
      {note !== null && (
        <div class="told warn">
          <strong>{t.note}</strong>
          <div>
            <Text>{note}</Text>
          </div>
        </div>
      )}
      <div class="faint small">{t.audit(became.audit)}</div>
      <footer>
        <button type="button" class="btn main" autofocus onClick={close}>
          {t.close}
        </button>
      </footer>
    </Dialog>
  );
}
