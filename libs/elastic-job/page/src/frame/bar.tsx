import { useLocation } from 'preact-iso';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type LiveState, liveState, pathTo, staleSince } from '../api/index.js';
import { Clock, Menu, MenuItem } from '../parts/index.js';
import { chooseTheme, logOut, now, overview, session, theme, THEMES } from '../state/index.js';
import { chooseLanguage, HERE, language, LANGUAGE_NAMES, LANGUAGES, nearTime, texts } from '../text/index.js';
import { Icon } from './icons.js';
import { Count, hrefOf, isCurrent, VIEWS } from './side.js';

export function Bar() {
  return (
    <header class="bar">
      <NarrowMenu />
      <Find />
      <span class="push wide" />
      <Live />
      <span class="wide">
        <Clock />
      </span>
      <span class="wide">
        <Choices />
      </span>
    </header>
  );
}

/** Goes to the list of jobs. Ctrl K, or / where nothing is typed, brings the focus to it. */
function Find() {
  const { route } = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFree = !(
        event.target instanceof Element && event.target.closest('input, textarea, select, dialog') !== null
      );
      const isAsked =
        (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) || (event.key === '/' && isFree);
      if (!isAsked || document.querySelector('dialog[open]') !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const submit = (event: Event) => {
    event.preventDefault();
    route(`${pathTo('jobs')}${text.trim() === '' ? '' : `?q=${encodeURIComponent(text.trim())}`}`);
    setText('');
  };
  return (
    <form class="find" role="search" aria-label={texts.value.find} onSubmit={submit}>
      <Icon name="find" />
      <input
        ref={input}
        class="input"
        type="search"
        aria-label={texts.value.find}
        placeholder={texts.value.find}
        aria-keyshortcuts="Control+K"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <kbd aria-hidden="true">Ctrl K</kbd>
    </form>
  );
}

/** Says how fresh what is shown is; a reader of screens hears a change of it. */
function Live() {
  const { live } = texts.value;
  const facts = overview.value.value;
  const state: LiveState = liveState.value;
  const isAway = facts?.stale === true && (state === 'live' || state === 'polling');
  const means = isAway ? live.means.registryAway : live.means[state];
  const since = isAway ? timeOf(facts.asOf) : staleSince.value;
  const isStale = since !== undefined && (isAway || state === 'lost' || state === 'paused');
  const staleText =
    isStale && live.staleSince(nearTime(since, now.value, { locale: texts.value.locale, timeZone: HERE }));
  return (
    <span class={`live ${isAway ? 'away' : state}`} role="status" title={means}>
      <i aria-hidden="true" />
      {isAway ? live.registryAway : live[state]}
      {staleText && <span class="wide">· {staleText}</span>}
    </span>
  );
}

function timeOf(instant: string | null): number | undefined {
  return instant === null ? undefined : Date.parse(instant);
}

function Choices() {
  const t = texts.value;
  return (
    <>
      <Menu button={t.theme.label}>
        {THEMES.map((choice) => (
          <MenuItem key={choice} isChosen={theme.value === choice} onSelect={() => chooseTheme(choice)}>
            {t.theme[choice]}
          </MenuItem>
        ))}
      </Menu>
      <Menu button={LANGUAGE_NAMES[language.value]} label={`${t.language}: ${LANGUAGE_NAMES[language.value]}`}>
        {LANGUAGES.map((choice) => (
          <MenuItem key={choice} isChosen={language.value === choice} onSelect={() => void chooseLanguage(choice)}>
            <span lang={choice}>{LANGUAGE_NAMES[choice]}</span>
          </MenuItem>
        ))}
      </Menu>
    </>
  );
}

/** Stands in the place of the side. Theme and language are in the view of the session. */
function NarrowMenu() {
  const { path, route } = useLocation();
  const t = texts.value;
  return (
    <Menu button={<Icon name="menu" />} label={t.nav.menu} class="btn small bare menu-button">
      {VIEWS.map((view) => (
        <MenuItem key={view} isCurrent={isCurrent(view, path)} onSelect={() => route(hrefOf(view))}>
          <Icon name={view} />
          {t.nav[view]}
          <Count view={view} />
        </MenuItem>
      ))}
      {session.value?.by === 'page' && (
        <MenuItem onSelect={() => void logOut().catch(() => {})}>
          <Icon name="leave" />
          {t.logIn.logOut}
        </MenuItem>
      )}
    </Menu>
  );
}
