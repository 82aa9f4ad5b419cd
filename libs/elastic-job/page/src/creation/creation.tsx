/**
 * The form that creates a job from a template. What was typed stays until the job is there: it survives a look at
 * another view, and a session that is over. Errors of the API stand at their fields, below the dialog that tells them.
 */
import '../configuration/configuration.css';
import './creation.css';
import { signal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useId, useRef, useState } from 'preact/hooks';
import type { DoneAnswer } from '../../../src/console/contract/answers.js';
import type { JobsAnswer } from '../../../src/console/contract/job-answers.js';
import { type ApiProblem, apiPath, asProblem, change, get, pathTo, useReading } from '../api/index.js';
import { sortedProblems } from '../configuration/faults.js';
import { FieldOf } from '../configuration/field.js';
import { CronSaid } from '../configuration/schedule.js';
import { askFor, type Change, Look, Panel, useTitle } from '../parts/index.js';
import { may, session } from '../state/index.js';
import { texts, visibleText } from '../text/index.js';
import { type CheckedJob, checkedJob, NEW_JOB_FIELDS, type NewJob, templatesOf } from './new-job.js';
import { words } from './texts.js';

/** Most rows of a page: templates of further jobs are typed. */
const LIMIT = 200;
const EMPTY: NewJob = { name: '', template: '', edits: {} };
const draft = signal<NewJob>(EMPTY);

export function Creation() {
  const { looks, problems, roles } = texts.value;
  const { title } = words.value;
  useTitle(title);
  if (!may('admin')) {
    const isReadOnly = session.value?.readOnly === true;
    return (
      <Look
        title={isReadOnly ? title : looks.noRight}
        more={isReadOnly ? problems.READ_ONLY : looks.noRightMore(roles.admin)}
        action={{ name: words.value.toJobs, href: pathTo('jobs') }}
        isPage
      />
    );
  }
  return <CreationForm />;
}

function CreationForm() {
  const t = words.value;
  const { route } = useLocation();
  const [isTold, setIsTold] = useState(false);
  const [refused, setRefused] = useState<ApiProblem>();
  const form = useRef<HTMLFormElement>(null);
  const { edits, name, template } = draft.value;
  const checked = checkedJob(draft.value);
  const put = (next: Partial<NewJob>) => {
    setRefused(undefined);
    draft.value = { ...draft.peek(), ...next };
  };
  const { byField } = sortedProblems(refused?.answer.fields ?? []);
  const ofField = (field: string) => refused?.answer.fields?.filter((one) => one.field === field) ?? [];
  const missing = (field: string) => (isTold && checked.missing.has(field) ? [t.missing] : []);
  const send = (event: Event) => {
    event.preventDefault();
    setIsTold(true);
    if (checked.missing.size + checked.faults.size > 0) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    const onDone = () => {
      draft.value = EMPTY;
      route(pathTo('jobs', checked.name));
    };
    askFor(createJob(checked, onDone, setRefused));
  };
  return (
    <form ref={form} class="configuration creation" onSubmit={send} noValidate>
      <h1 class="unshown">{t.title}</h1>
      <Panel title={t.title} beside={<span class="dim">{t.about}</span>}>
        <div class="settings">
          <Word
            name={t.name}
            value={name}
            hint={t.nameHint}
            problems={[
              ...missing('name'),
              ...ofField('name').map(({ problem }) => problem),
              ...(refused?.code === 'JOB_EXISTS' ? [t.exists(visibleText(checked.name))] : []),
            ]}
            onInput={(text) => put({ name: text })}
          />
          <Template value={template} problems={missing('template')} onInput={(text) => put({ template: text })} />
          {NEW_JOB_FIELDS.map((field) => (
            <FieldOf
              key={field.name}
              field={field}
              value={null}
              edited={edits[field.name]}
              isNew
              fault={checked.faults.get(field.name)}
              problems={[...missing(field.name), ...(byField.get(field.name) ?? [])]}
              mayEdit
              onEdit={(raw) => put({ edits: { ...edits, [field.name]: raw } })}
              below={field.name === 'cron' && <CronSaid cron={null} typed={textOf(edits.cron)} />}
            />
          ))}
        </div>
        <footer>
          <span class="dim">{t.rest}</span>
          <a class="btn" href={pathTo('jobs')}>
            {texts.value.changes.cancel}
          </a>
          <button type="submit" class="btn main">
            {t.review}
          </button>
        </footer>
      </Panel>
    </form>
  );
}

interface WordProps {
  readonly name: string;
  readonly value: string;
  readonly hint: string;
  readonly problems: readonly string[];
  readonly onInput: (text: string) => void;
  /** Words that are known; others may be typed as well. */
  readonly known?: readonly string[];
}

function Word({ hint, known = [], name, onInput, problems, value }: WordProps) {
  const id = useId();
  return (
    <div class="setting">
      <div class="setting-head">
        <label for={id}>{name}</label>
      </div>
      <input
        id={id}
        class="input mono"
        value={value}
        list={`${id}known`}
        aria-describedby={`${id}about`}
        aria-invalid={problems.length > 0}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      <datalist id={`${id}known`}>
        {known.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <div id={`${id}about`}>
        {problems.map((problem) => (
          <div class="wrong" key={problem}>
            {visibleText(problem)}
          </div>
        ))}
        <div class="hint">{hint}</div>
      </div>
    </div>
  );
}

/** Which templates other processes have is known of their jobs alone. */
function Template(given: Pick<WordProps, 'value' | 'problems' | 'onInput'>) {
  const t = words.value;
  const jobs = useReading('templates', (left) =>
    get<JobsAnswer>(apiPath('jobs'), { query: { limit: LIMIT }, signal: left }),
  );
  return <Word name={t.template} hint={t.templateHint} known={templatesOf(jobs.value.value?.items ?? [])} {...given} />;
}

function createJob(job: CheckedJob, onDone: () => void, onRefused: (problem: ApiProblem) => void): Change {
  const t = words.peek().change;
  const { name, settings, template } = job;
  return {
    title: t.title(name),
    name: t.name,
    will: [t.joins(visibleText(template)), settings.cron === undefined ? t.asked : t.runs],
    cannot: t.cannot,
    look: ['jobs', name],
    onDone,
    send: async ({ reason }) => {
      try {
        const body = { name, template, settings, reason };
        const { audit, note } = await change<DoneAnswer>('POST', apiPath('jobs'), { body });
        return { text: t.became, note, audit };
      } catch (error) {
        const problem = asProblem(error);
        if (problem !== undefined) onRefused(problem);
        throw error;
      }
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
