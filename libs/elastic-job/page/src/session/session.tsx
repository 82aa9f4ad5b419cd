import './session.css';
import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { SessionAnswer } from '../../../src/console/contract/answers.js';
import { type ApiProblem, asProblem, get, useReading } from '../api/index.js';
import { Panel, ProblemText, Read, Time, Until, useTitle } from '../parts/index.js';
import { chooseTheme, logOut, theme, THEMES } from '../state/index.js';
import { chooseLanguage, HERE, language, LANGUAGE_NAMES, LANGUAGES, Text, texts, visibleText } from '../text/index.js';

const EVERY_MS = 30_000;

/** The person that is logged in, what that may do, when it ends, and what this browser keeps. */
export function Session() {
  const { session: t } = texts.value;
  const session = useReading<SessionAnswer>('session', (signal) => get('/session', { signal }), { everyMs: EVERY_MS });
  useTitle(t.title);
  return (
    <>
      <h1 class="unshown">{t.title}</h1>
      <div class="session">
        <Panel title={t.who}>
          <Read of={session} lines={5}>
            {(answer) => <Person answer={answer} />}
          </Read>
        </Panel>
        <Panel title={t.browser} right={<span class="faint small">{t.browserMeans}</span>}>
          <Browser />
        </Panel>
      </div>
    </>
  );
}

function Person({ answer }: { readonly answer: SessionAnswer }) {
  const { roles, session: t } = texts.value;
  const { by, jobPrefix, name, readOnly, requireReason, role } = answer;
  const mayChange = !readOnly && role !== 'viewer';
  return (
    <dl>
      <Fact name={t.name}>
        <b>
          <Text>{name}</Text>
        </b>
      </Fact>
      <Fact name={t.role} more={t.roleMeans[role]}>
        {roles[role]}
      </Fact>
      <Fact name={t.jobs} more={jobPrefix === null ? undefined : t.prefixMeans}>
        {jobPrefix === null ? t.allJobs : t.prefix(visibleText(jobPrefix))}
      </Fact>
      <Fact name={t.changes}>{readOnly ? t.readOnly : mayChange ? t.mayChange : t.mayNotChange}</Fact>
      {mayChange && <Fact name={t.reason}>{requireReason ? t.reasonNeeded : t.reasonFree}</Fact>}
      <Fact name={t.by}>{t.byMeans[by]}</Fact>
      <Fact name={t.ends}>
        <Ends answer={answer} />
      </Fact>
      {by === 'page' && (
        <Fact name={t.logOut} more={t.logOutMeans}>
          <LogOut />
        </Fact>
      )}
    </dl>
  );
}

function Ends({ answer: { expiresAt, idleUntil } }: { readonly answer: SessionAnswer }) {
  const { session: t } = texts.value;
  if (idleUntil === null && expiresAt === null) return <>{t.endsNever}</>;
  return (
    <>
      {idleUntil !== null && (
        <div>
          <Until at={idleUntil} /> · <Time at={idleUntil} /> {t.endsIdle}
        </div>
      )}
      {expiresAt !== null && (
        <div class="dim">
          {t.endsAt} <Time at={expiresAt} /> {HERE}
        </div>
      )}
    </>
  );
}

function LogOut() {
  const { session: t } = texts.value;
  const [problem, setProblem] = useState<ApiProblem>();
  const leave = () => {
    logOut().catch((error: unknown) => setProblem(asProblem(error)));
  };
  return (
    <>
      <button type="button" class="btn" onClick={leave}>
        {t.logOut}
      </button>
      {problem !== undefined && (
        <div class="told bad" role="alert">
          {t.logOutFailed} <ProblemText problem={problem} />
        </div>
      )}
    </>
  );
}

function Browser() {
  const t = texts.value;
  return (
    <dl>
      <Fact name={t.theme.label}>
        <Choices
          label={t.theme.label}
          chosen={theme.value}
          choices={THEMES.map((one) => [one, t.theme[one]])}
          choose={chooseTheme}
        />
      </Fact>
      <Fact name={t.language}>
        <Choices
          label={t.language}
          chosen={language.value}
          choices={LANGUAGES.map((one) => [one, LANGUAGE_NAMES[one]])}
          choose={(one) => void chooseLanguage(one)}
        />
      </Fact>
      <Fact name={t.session.zone}>{t.session.zoneMeans(HERE)}</Fact>
    </dl>
  );
}

interface ChoicesProps<Value extends string> {
  readonly label: string;
  readonly chosen: Value;
  readonly choices: readonly (readonly [Value, string])[];
  readonly choose: (value: Value) => void;
}

function Choices<Value extends string>({ choices, choose, chosen, label }: ChoicesProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend class="unshown">{label}</legend>
      {choices.map(([value, text]) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

interface FactProps {
  readonly name: string;
  readonly more?: string | undefined;
  readonly children: ComponentChildren;
}

function Fact({ children, more, name }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {children}
        {more !== undefined && <div class="faint small">{more}</div>}
      </dd>
    </div>
  );
}
