import { span, Text, texts } from '../text/index.js';
import { FIELDS } from './fields.js';
import { HIDDEN } from './form.js';
import { words } from './texts.js';

const UNIT_MS = { ms: 1, s: 1_000, min: 60_000 };

/** A value of a setting as it is read. @param field its name; a prop is `props.region` */
export function Shown({ field, value }: { readonly field: string; readonly value: unknown }) {
  const t = words.value;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return <Props props={value} />;
  if (value === null || value === undefined || value === '') return <span class="faint">{t.empty}</span>;
  if (value === HIDDEN) return <em class="dim">{t.hidden}</em>;
  if (typeof value === 'boolean') return <span>{value ? t.yes : t.no}</span>;
  if (typeof value === 'number') return <NumberShown field={field} value={value} />;
  if (Array.isArray(value))
    return value.length === 0 ? <span class="faint">{t.empty}</span> : <Code text={value.join(', ')} />;
  return <Code text={typeof value === 'string' ? value : JSON.stringify(value)} />;
}

function Code({ text }: { readonly text: string }) {
  return (
    <code>
      <Text lines="all">{text}</Text>
    </code>
  );
}

function NumberShown({ field, value }: { readonly field: string; readonly value: number }) {
  const unit = FIELDS.get(field)?.unit;
  return (
    <span class="num">
      {value}
      {unit !== undefined && ` ${words.value.units[unit]}`}
      {unit !== undefined && spanOf(field, value)}
    </span>
  );
}

/** A number of a unit in greater ones, for people. */
export function spanOf(field: string, value: number) {
  const unit = FIELDS.get(field)?.unit;
  const ms = unit === undefined ? 0 : value * UNIT_MS[unit];
  return ms >= 1_000 && value >= 60 ? <span class="faint"> = {span(ms, texts.value.units)}</span> : null;
}

function Props({ props }: { readonly props: object }) {
  const all = Object.entries(props);
  if (all.length === 0) return <span class="faint">{words.value.empty}</span>;
  return (
    <ul>
      {all.map(([name, value]) => (
        <li key={name}>
          <Code text={name} /> = <Shown field={`props.${name}`} value={value === '' ? '""' : value} />
        </li>
      ))}
    </ul>
  );
}
