import { Choice } from '../parts/index.js';
import { now } from '../state/index.js';
import { HERE, nearTime, texts } from '../text/index.js';
import { SPANS } from '../text/spans.js';
import type { EventFilters, RunFilters } from './filters.js';
import { words } from './texts.js';

type Changes = Readonly<Record<string, string | undefined>>;

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly isShort?: boolean;
  readonly isDisabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** A whole name. It counts with Enter, or when the focus leaves it. */
export function NameField({ isDisabled = false, isShort = false, label, onChange, value }: FieldProps) {
  return (
    <input
      class={`input name-field${isShort ? ' short' : ''}`}
      aria-label={label}
      placeholder={label}
      autocapitalize="none"
      spellcheck={false}
      disabled={isDisabled}
      value={value}
      onChange={({ currentTarget }) => {
        onChange(currentTarget.value.trim());
        // A text that is no such value is left out of the URL.
        currentTarget.value = value;
      }}
    />
  );
}

interface TimeFieldProps {
  readonly filters: Pick<RunFilters & EventFilters, 'since' | 'from' | 'to' | 'fireTime'>;
  readonly set: (changes: Changes) => void;
}

/** A span up to now; and a window or a fire time that another view has linked to, which is taken away here. */
export function TimeFields({ filters: { fireTime, from, since, to }, set }: TimeFieldProps) {
  const { jobs, spans } = texts.value;
  const { filter: t } = words.value;
  const links: readonly (readonly [text: string, none: Changes])[] = [
    ...(from === undefined && to === undefined
      ? []
      : [[t.window(timeOf(from) ?? t.open, timeOf(to) ?? t.open), { from: undefined, to: undefined }] as const]),
    ...(fireTime === undefined ? [] : [[t.fireTime(timeOf(fireTime) ?? ''), { fireTime: undefined }] as const]),
  ];
  return (
    <>
      <Choice
        label={t.since}
        any={t.anyTime}
        options={SPANS.map((one) => [one, spans[one]])}
        value={since}
        onChoose={(chosen) => set({ since: chosen, from: undefined, to: undefined })}
      />
      {links.map(([text, none]) => (
        <button key={text} type="button" class="btn" aria-label={jobs.without(text)} onClick={() => set(none)}>
          {text} ×
        </button>
      ))}
    </>
  );
}

function timeOf(instant: string | undefined): string | undefined {
  if (instant === undefined) return undefined;
  const { locale } = texts.value;
  return nearTime(Date.parse(instant), now.value, { locale, timeZone: HERE, withSeconds: true });
}
