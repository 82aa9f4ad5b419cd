import './frame.css';
import { useEffect, useId, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../api/index.js';
import { Dialog, problemText } from '../parts/index.js';
import { logIn, now, session } from '../state/index.js';
import { Text, texts } from '../text/index.js';
import { Brand } from './icons.js';

/** The page before a log-in. */
export function LogInPage() {
  const { logIn: t, product } = texts.value;
  useEffect(() => void (document.title = `${t.title} · ${product}`), [t]);
  return (
    <main class="log-in">
      <section class="panel">
        <Brand>{product}</Brand>
        <h1 class="unshown">{t.title}</h1>
        <LogInForm name="" />
        <p class="faint small hint">{t.hint}</p>
      </section>
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
  const [failure, setFailure] = useState<{ readonly problem: ApiProblem; readonly at: number }>();
  const id = useId();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    try {
      await logIn(name, password);
    } catch (error) {
      const problem = asProblem(error);
      setFailure(problem && { problem, at: Date.now() });
      if (problem?.status === 401) setPassword('');
    } finally {
      setSending(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <label class="field">
        <span>{t.name}</span>
        <input
          class="input"
          name="name"
          autocomplete="username"
          autocapitalize="none"
          spellcheck={false}
          required
          autofocus={known === ''}
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        <span>{t.password}</span>
        <input
          class="input"
          name="password"
          type="password"
          autocomplete="current-password"
          required
          autofocus={known !== ''}
          aria-describedby={id}
          value={password}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      </label>
      <div id={id} role="alert">
        {failure !== undefined && <Failure {...failure} />}
      </div>
      <button type="submit" class="btn main log-in-button" aria-disabled={isSending}>
        {t.submit}
      </button>
    </form>
  );
}

function Failure({ at, problem }: { readonly problem: ApiProblem; readonly at: number }) {
  const { logIn: t } = texts.value;
  const left = Math.ceil((problem.retryAfter ?? 60) - (now.value - at) / 1_000);
  if (problem.status === 429 && left <= 0) return null;
  const text =
    problem.status === 401
      ? t.wrong
      : problem.status === 429
        ? t.limit(left)
        : problem.status === 0
          ? t.unreachable
          : undefined;
  return <div class="told bad">{text ?? <Text>{problemText(problem)}</Text>}</div>;
}
