import { useId } from 'preact/hooks';
import { Tag } from '../parts/index.js';
import { Text } from '../text/index.js';
import type { Field } from './fields.js';
import { type Fault, HIDDEN, type Raw, rawOf } from './form.js';
import { PropsInput } from './props-input.js';
import { Shown, spanOf } from './shown.js';
import { words } from './texts.js';

const GREATEST_INT = 2_147_483_647;

interface FieldProps {
  readonly field: Field;
  /** The setting as the API has it. */
  readonly value: unknown;
  /** The text that somebody has typed; undefined: it is as it was. */
  readonly edited: Raw | undefined;
  readonly fault: Fault | undefined;
  /** Texts of the API against it. */
  readonly problems: readonly string[];
  readonly mayEdit: boolean;
  readonly onEdit: (raw: Raw) => void;
  /** True for a job that is not there yet: there is no value to go back to. */
  readonly isNew?: boolean;
  /** Below the field of the cron. */
  readonly below?: preact.ComponentChildren;
}

/** A setting with its rule: a field for who may change it, and its value for who may not. */
export function FieldOf(props: FieldProps) {
  const { below, edited, fault, field, isNew = false, mayEdit, onEdit, problems, value } = props;
  const t = words.value;
  const id = useId();
  const about = `${id}about`;
  const raw = edited ?? rawOf(field, value);
  const isWrong = fault !== undefined || problems.length > 0;
  const input = { id, 'aria-describedby': `${id}rule ${about}`, 'aria-invalid': isWrong };
  const isEdited = edited !== undefined && !isNew;
  const isAlone = field.kind !== 'props' && mayEdit;
  return (
    <div class={`setting${isEdited ? ' edited' : ''}${field.kind === 'props' ? ' wide' : ''}`} data-field={field.name}>
      <div class="setting-head">
        {isAlone ? (
          <label for={id} class="mono">
            {field.name}
          </label>
        ) : (
          <span id={id} class="mono">
            {field.name}
          </span>
        )}
        {field.isOfAdmins === true && !isNew && <Tag>{t.ofAdmins}</Tag>}
        {isEdited && (
          <button type="button" class="btn small bare" onClick={() => onEdit(rawOf(field, value))}>
            {t.undo}
            <span class="unshown"> {field.name}</span>
          </button>
        )}
        <span id={`${id}rule`} class="rule">
          {ruleText(field)}
        </span>
      </div>
      {mayEdit ? (
        <Input field={field} raw={raw} value={value} input={input} onEdit={onEdit} />
      ) : (
        <div aria-labelledby={id} role="group">
          <Shown field={field.name} value={value} />
        </div>
      )}
      {isEdited && field.kind !== 'props' && (
        <div class="small dim">
          {t.was} <Shown field={field.name} value={value} />
        </div>
      )}
      {below}
      <div id={about}>
        {(fault !== undefined || problems.length > 0) && (
          <div class="wrong">
            {fault !== undefined && <div>{faultText(fault)}</div>}
            {problems.map((problem) => (
              <div key={problem}>
                <Text>{problem}</Text>
              </div>
            ))}
          </div>
        )}
        <div class="hint">
          {t.hints[field.name]}
          {field.isOfAdmins === true && !mayEdit && ` ${t.ofAdminsMore}`}
        </div>
      </div>
    </div>
  );
}

interface InputProps {
  readonly field: Field;
  readonly raw: Raw;
  readonly value: unknown;
  readonly input: { readonly id: string; readonly 'aria-describedby': string; readonly 'aria-invalid': boolean };
  readonly onEdit: (raw: Raw) => void;
}

function Input({ field, input, onEdit, raw, value }: InputProps) {
  const t = words.value;
  if (typeof raw === 'boolean') {
    return (
      <span class="flag">
        <input
          {...input}
          type="checkbox"
          checked={raw}
          onChange={({ currentTarget }) => onEdit(currentTarget.checked)}
        />
        <span aria-hidden="true">{raw ? t.yes : t.no}</span>
      </span>
    );
  }
  if (typeof raw !== 'string') return <PropsInput rows={raw} labelledBy={input.id} present={value} onEdit={onEdit} />;
  const onInput = ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
    onEdit(currentTarget.value);
  if (value === HIDDEN) return <HiddenInput field={field} input={input} raw={raw} onEdit={onEdit} />;
  if (field.words !== undefined) {
    return (
      <select {...input} class="input" value={raw} onChange={onInput}>
        {raw === '' && <option value="">{t.empty}</option>}
        {field.words.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    );
  }
  if (field.kind === 'lines') return <textarea {...input} class="input mono" rows={2} value={raw} onInput={onInput} />;
  const known = field.name === 'timeZone' ? Intl.supportedValuesOf('timeZone') : field.known;
  const number = raw.trim() === '' ? Number.NaN : Number(raw);
  return (
    <span class="with-unit">
      <input
        {...input}
        class="input mono"
        value={raw}
        inputMode={field.kind === 'number' ? 'decimal' : undefined}
        list={known && `${input.id}known`}
        autocapitalize="none"
        autocomplete="off"
        spellcheck={false}
        onInput={onInput}
      />
      {field.unit !== undefined && (
        <span class="dim">
          {t.units[field.unit]}
          {spanOf(field.name, number)}
        </span>
      )}
      {known !== undefined && (
        <datalist id={`${input.id}known`}>
          {known.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </span>
  );
}

/** A value that nobody is shown: it stays, or is replaced. */
function HiddenInput({ field, input, onEdit, raw }: Omit<InputProps, 'raw' | 'value'> & { readonly raw: string }) {
  const t = words.value;
  if (raw === HIDDEN) {
    return (
      <span class="with-unit">
        <em class="dim">{t.hiddenStays}</em>
        <button
          type="button"
          class="btn small"
          id={input.id}
          aria-label={`${t.replace} ${field.name}`}
          onClick={() => onEdit('')}
        >
          {t.replace}
        </button>
      </span>
    );
  }
  return (
    <>
      <textarea
        {...input}
        class="input mono"
        rows={2}
        value={raw}
        onInput={({ currentTarget }) => onEdit(currentTarget.value)}
      />
      <button type="button" class="btn small" onClick={() => onEdit(HIDDEN)}>
        {t.keep}
        <span class="unshown"> {field.name}</span>
      </button>
    </>
  );
}

function faultText(fault: Fault): string {
  const t = words.value.faults;
  switch (fault.kind) {
    case 'number':
      return fault.isWhole && fault.to === GREATEST_INT
        ? t.atLeast(String(fault.from))
        : t.number(String(fault.from), String(fault.to), fault.isWhole);
    case 'twice':
      return t.twice(fault.name);
    default:
      return t[fault.kind];
  }
}

/** Range and default: `1 to 100 · default 2`. */
function ruleText({ from, kind, to, usual }: Field): string {
  const t = words.value;
  const range =
    kind !== 'number' || from === undefined || from === -GREATEST_INT
      ? []
      : [to === GREATEST_INT ? t.atLeast(String(from)) : t.range(String(from), String(to))];
  const value = typeof usual === 'boolean' ? (usual ? t.yes : t.no) : usual;
  return [...range, ...(value === undefined ? [] : [t.usual(String(value))])].join(' · ');
}
