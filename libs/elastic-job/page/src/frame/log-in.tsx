import './frame.css';
import { useId, useState } from 'preact/hooks';
import { type ApiProblem, asProblem, present } from '../api/index.js';
import { Dialog, ProblemText, TextField, useTitle } from '../parts/index.js';
import { logIn, now, session } from '../state/index.js';
import { chooseLanguage, clockTime, HERE, language, LANGUAGE_NAMES, LANGUAGES, span, texts } from '../text/index.js';
import { Brand } from './icons.js';

/** The page before a log-in. */
export function LogInPage() {
  const { logIn: t, product } = texts.value;
  useTitle(t.title);
  return (
    <main class="log-in">
      <section class="panel">
        <Brand>{product}</Brand>
        <h1 class="unshown">{t.title}</h1>
        <LogInForm name="" />
        <p class="faint small hint">{t.hint}</p>
      </section>
      <LanguageChoice />
    </main>
  );
}

/** Stands above a page whose session is over. The page stays as it is, with all that was typed. */
export function LogInAgain() {
  const { logIn: t } = texts.value;
  return (
    <Dialog title={t.again}>
      <p class="dim">{t.againMore}</p>
      <LogInForm name={session.value?.name ?? ''} />
    </Dialog>
  );
}

function LogInForm({ name: known }: { readonly name: string }) {
  const { logIn: t } = texts.value;
  const [name, setName] = useState(known);
  const [password, setPassword] = useState('');
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failed>();
  const id = useId();
  const isLimited = failure?.until !== undefined && failure.until > now.value;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isSending || isLimited) return;
    setSending(true);
    try {
      await logIn(name, password);
    } catch (error) {
      const problem = asProblem(error);
      setFailure(problem && failedBy(problem));
      if (problem?.status === 401) setPassword('');
    } finally {
      setSending(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <TextField
        label={t.name}
        name="name"
        autocomplete="username"
        autocapitalize="none"
        spellcheck={false}
        required
        autofocus={known === ''}
        value={name}
        onText={setName}
      />
      <TextField
        label={t.password}
        name="password"
        type="password"
        autocomplete="current-password"
        required
        autofocus={known !== ''}
        aria-describedby={id}
        value={password}
        onText={setPassword}
      />
      <div id={id} role="alert">
        {failure !== undefined && <Failure {...failure} />}
      </div>
      <button type="submit" class="btn main log-in-button" aria-disabled={isSending || isLimited}>
        {t.submit}
      </button>
    </form>
  );
}

interface Failed {
  readonly problem: ApiProblem;
  /** When it may be tried again, in milliseconds since the epoch; undefined: now. */
  readonly until: number | undefined;
}

function failedBy(problem: ApiProblem): Failed {
  const until = problem.status === 429 ? present() + (problem.retryAfter ?? 60) * 1_000 : undefined;
  return { problem, until };
}

/** Names an instant, and counts beside it: a reader of screens is not told of every second. */
function Failure({ problem, until }: Failed) {
  const { logIn: t, units } = texts.value;
  if (until !== undefined) {
    const left = until - now.value;
    return (
      <div class={`told ${left > 0 ? 'bad' : 'ok'}`}>
        {left > 0 ? t.limit(`${clockTime(until, HERE)} ${HERE}`) : t.limitOver}
        {left > 0 && (
          <span class="num" aria-hidden="true">
            {' '}
            {span(left, units)}
          </span>
        )}
      </div>
    );
  }
  const text = problem.status === 401 ? t.wrong : problem.status === 0 ? t.unreachable : undefined;
  return <div class="told bad">{text ?? <ProblemText problem={problem} />}</div>;
}

/** For somebody who does not read the language of the browser. */
function LanguageChoice() {
  return (
    <div class="languages">
      {LANGUAGES.map((choice) => (
        <button
          key={choice}
          type="button"
          class="btn small bare"
          lang={choice}
          aria-pressed={language.value === choice}
          onClick={() => void chooseLanguage(choice)}
        >
          {LANGUAGE_NAMES[choice]}
        </button>
      ))}
    </div>
  );
}
