/** How a part of the history looks without a history, and while its database is away. */
import './looks.css';
import type { ComponentChildren } from 'preact';
import type { HistoryState, RunOutcomeAnswer } from '../../../src/console/contract/history-answers.js';
import type { ApiProblem, Reading } from '../api/index.js';
import { Look, Read, Tag, Time } from '../parts/index.js';
import { Text, visibleText } from '../text/index.js';
import { OUTCOME_MARKS } from './marks.js';
import { words } from './texts.js';

/** True if there is no history to read, which nobody has to wait for. */
export function isNoHistory(problem: ApiProblem | undefined): problem is ApiProblem {
  return problem?.code === 'MISSING_RUN_HISTORY' || problem?.code === 'MISSING_HISTORY_TABLE';
}

/** Says what to do to have a history. */
export function NoHistory({ isPage = false, problem }: { readonly problem: ApiProblem; readonly isPage?: boolean }) {
  const { none } = words.value;
  const [title, more] =
    problem.code === 'MISSING_HISTORY_TABLE' ? [none.tables, none.tablesMore] : [none.title, none.more];
  return <Look title={title} more={more} isPage={isPage} />;
}

interface ReadHistoryProps<Value> {
  readonly of: Reading<Value>;
  readonly lines?: number;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows a reading of the history as `Read` does, and says if there is none, or if its answer is old. */
export function ReadHistory<Value extends Pick<HistoryState, 'stale'>>({ children, ...read }: ReadHistoryProps<Value>) {
  const problem = read.of.problem.value;
  if (read.of.value.value === undefined && isNoHistory(problem)) return <NoHistory problem={problem} />;
  return (
    <Read {...read}>
      {(value) => (
        <>
          {value.stale && <Stale />}
          {children(value)}
        </>
      )}
    </Read>
  );
}

/** Stands above answers of a database that is away. */
export function Stale() {
  return (
    <div class="behind" role="status">
      {words.value.stale}
    </div>
  );
}

export function Outcome({ outcome }: { readonly outcome: RunOutcomeAnswer }) {
  const { glyph, tone } = OUTCOME_MARKS[outcome];
  const { means, name } = words.value.outcomes[outcome];
  return (
    <span title={means}>
      <Tag tone={tone}>
        <span aria-hidden="true">{glyph}</span> {name}
      </Tag>
    </span>
  );
}

/** The fire time of a run; of a run that was written before the upgrade, that it has none. */
export function FireTime({ at, zone }: { readonly at: string | null; readonly zone?: string | null }) {
  const { noFireTime, noFireTimeMeans } = words.value;
  if (at !== null) return <Time at={at} withSeconds {...(zone !== undefined && { zone })} />;
  return (
    <span class="faint" title={noFireTimeMeans}>
      {noFireTime}
    </span>
  );
}

/** By whom a run was asked for; the title has the id of a trigger or re-run. */
export function Origin({ origin }: { readonly origin: string | null }) {
  if (origin === null) return <span class="faint">–</span>;
  const [kind = ''] = origin.split(':');
  const name = words.value.origins[kind];
  return <span title={visibleText(origin)}>{name ?? <Text>{origin}</Text>}</span>;
}

/** Two ways to show the same: a picture, and a table for everybody who cannot use that. */
interface ShownAsProps {
  readonly label: string;
  readonly picture: string;
  readonly table: string;
  readonly isTable: boolean;
  readonly onChange: (isTable: boolean) => void;
}

export function ShownAs({ isTable, label, onChange, picture, table }: ShownAsProps) {
  return (
    <span class="either" role="group" aria-label={label}>
      {[false, true].map((one) => (
        <button key={String(one)} type="button" aria-pressed={isTable === one} onClick={() => onChange(one)}>
          {one ? table : picture}
        </button>
      ))}
    </span>
  );
}

/** The first line of an error, or nothing. */
export function ErrorLine({ error }: { readonly error: string | null }) {
  return error === null ? null : <Text lines="first">{error}</Text>;
}
