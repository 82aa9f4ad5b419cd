/**
 * How a part looks that has nothing to show: first load, empty, filtered to nothing, error, no right, no history. One
 * that has old facts shows them, with `Behind` above.
 */
import type { ComponentChildren } from 'preact';
import type { ConsoleRole } from '../../../src/console/contract/roles.js';
import type { ApiProblem, Reading } from '../api/index.js';
import { type Lines, Text, texts } from '../text/index.js';
import { wordsOf } from './problem-words.js';

interface Action {
  readonly name: string;
  readonly run?: () => void;
  readonly href?: string;
}

interface LookProps {
  readonly title: string;
  readonly more?: ComponentChildren;
  readonly action?: Action | undefined;
  /** Tells readers of screens at once. */
  readonly isAlert?: boolean;
  /** Stands alone in the place of a whole view. */
  readonly isPage?: boolean;
}

/** A part with nothing to show: what that means, and what can be done. */
export function Look({ action, isAlert = false, isPage = false, more, title }: LookProps) {
  return (
    <div class={`look${isPage ? ' page' : ''}`} role={isAlert ? 'alert' : undefined}>
      {isPage ? <h1>{title}</h1> : <strong>{title}</strong>}
      {more !== undefined && <div class="dim">{more}</div>}
      {action?.run !== undefined && (
        <button type="button" class="btn small" onClick={action.run}>
          {action.name}
        </button>
      )}
      {action?.href !== undefined && (
        <a class="btn small" href={action.href}>
          {action.name}
        </a>
      )}
    </div>
  );
}

/** Lines in the place of what is being read for the first time. */
export function Loading({ lines = 3 }: { readonly lines?: number }) {
  return (
    <div class="look" role="status">
      <span class="unshown">{texts.value.looks.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <div class="skeleton" key={index} style={{ width: `${62 - ((index * 17) % 40)}%` }} />
      ))}
    </div>
  );
}

interface ProblemTextProps {
  readonly problem: ApiProblem;
  /** @default 'all' */
  readonly lines?: Lines;
}

/** The text of a problem, in the language of the page where that has words for it. */
export function ProblemText({ lines = 'all', problem }: ProblemTextProps) {
  const t = texts.value;
  if (problem.status === 429) return <>{t.looks.limit(problem.retryAfter ?? 10)}</>;
  const { sentence, words } = wordsOf(problem.answer, t);
  return (
    <>
      {words !== undefined && <Text lines={lines}>{words}</Text>}{' '}
      {sentence !== undefined && (
        <span lang="en">
          <Text lines={lines}>{sentence}</Text>
        </span>
      )}
    </>
  );
}

export function Failed({ problem, reload }: { readonly problem: ApiProblem; readonly reload?: () => void }) {
  const { looks, roles } = texts.value;
  const { requestId, role } = problem.answer;
  if (problem.status === 403 && role !== undefined) return <NoRight role={role} roleName={roles[role]} />;
  const more = (
    <>
      <ProblemText problem={problem} />
      {requestId !== '' && <div class="faint small">{looks.request(requestId)}</div>}
    </>
  );
  return <Look title={looks.failed} more={more} action={reload && { name: looks.retry, run: reload }} isAlert />;
}

function NoRight({ roleName }: { readonly role: ConsoleRole; readonly roleName: string }) {
  const { looks } = texts.value;
  return <Look title={looks.noRight} more={looks.noRightMore(roleName)} />;
}

/** Stands above facts that are older than they should be. */
export function Behind({ problem, reload }: { readonly problem: ApiProblem; readonly reload: () => void }) {
  const { looks } = texts.value;
  return (
    <div class="behind" role="status">
      <span>
        {looks.failedAgain} <ProblemText problem={problem} lines="first" />
      </span>
      <button type="button" class="btn small" onClick={reload}>
        {looks.retry}
      </button>
    </div>
  );
}

interface ReadProps<Value> {
  readonly of: Reading<Value>;
  /** Lines of the first load. */
  readonly lines?: number;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows a reading: its value, its first load, or why there is none; and old facts with the problem above them. */
export function Read<Value>({ children, lines, of }: ReadProps<Value>) {
  const { value } = of.value;
  const problem = of.problem.value;
  if (value === undefined) {
    return problem === undefined ? (
      <Loading {...(lines !== undefined && { lines })} />
    ) : (
      <Failed problem={problem} reload={of.reload} />
    );
  }
  return (
    <>
      {problem !== undefined && <Behind problem={problem} reload={of.reload} />}
      {children(value)}
    </>
  );
}
