import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { AuditEntry } from '../../../src/console/contract/answers.js';
import { Time } from '../parts/index.js';
import { HERE, Text, texts } from '../text/index.js';
import { Copy } from './copy.js';
import { Deed } from './deed.js';
import { diffOf, type Line } from './diff.js';
import { Outcome } from './outcome.js';

interface EntryProps {
  readonly entry: AuditEntry;
  /** Leaves the name of the job out. */
  readonly isOfJob: boolean;
}

/** A deed in a line: who has done what and how it ended, and why below it. All the rest is a click away. */
export function Entry({ entry, isOfJob }: EntryProps) {
  const { audit: t } = texts.value;
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { at, by, outcome, reason } = entry;
  return (
    <li class="entry">
      <span class="faint">
        <Time at={at} />
      </span>
      <div class="deed-text">
        <div>
          <Deed entry={entry} isOfJob={isOfJob} />
        </div>
        {reason !== null && reason !== '' && (
          <div class="faint">
            “<Text>{reason}</Text>”
          </div>
        )}
        {outcome === 'unknown' && <div class="dim small">{t.means.unknown}</div>}
        {by === 'outside' && <div class="dim small">{t.outsideMeans}</div>}
      </div>
      <Outcome outcome={outcome} />
      <button
        type="button"
        class="btn small bare"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? t.less : t.details}
      </button>
      <div id={id} class="entry-more" hidden={!isOpen}>
        {isOpen && <Details entry={entry} />}
      </div>
    </li>
  );
}

function Details({ entry }: { readonly entry: AuditEntry }) {
  const { audit: t, problems, roles } = texts.value;
  const { action, address, after, at, before, by, code, id, requestId, role } = entry;
  return (
    <>
      <Diff lines={diffOf(before, after)} />
      <dl class="entry-facts">
        <Fact name={t.facts.at}>
          <Time at={at} /> {HERE} · <code>{at}</code>
        </Fact>
        <Fact name={t.facts.action}>
          <code>
            <Text>{action}</Text>
          </code>
        </Fact>
        <Fact name={t.facts.by}>
          {t.by[by]}
          {role !== null && ` · ${roles[role]}`}
        </Fact>
        {code !== null && (
          <Fact name={t.facts.code}>
            <code>
              <Text>{code}</Text>
            </code>{' '}
            {problems[code] !== undefined && <span class="dim">{problems[code]}</span>}
          </Fact>
        )}
        {address !== null && (
          <Fact name={t.facts.address}>
            <code>
              <Text>{address}</Text>
            </code>
          </Fact>
        )}
        {requestId !== null && (
          <Fact name={t.facts.request}>
            <Copy text={requestId} />
          </Fact>
        )}
        <Fact name={t.facts.id}>
          <Copy text={id} />
        </Fact>
      </dl>
    </>
  );
}

function Fact({ children, name }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Diff({ lines }: { readonly lines: readonly Line[] }) {
  const { audit: t } = texts.value;
  if (lines.length === 0) return null;
  return (
    <div class="diff-scroll" role="region" aria-label={t.diff} tabIndex={0}>
      <table class="diff">
        <thead>
          <tr>
            <th scope="col">{t.field}</th>
            <th scope="col">{t.before}</th>
            <th scope="col">{t.after}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ after, before, field }) => (
            <tr key={field}>
              <th scope="row">
                <Text>{field}</Text>
              </th>
              <td class="was">{before === undefined ? '' : <Text>{before}</Text>}</td>
              <td class="is">{after === undefined ? '' : <Text>{after}</Text>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
