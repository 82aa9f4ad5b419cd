interface ChoiceProps<Value extends string> {
  readonly label: string;
  /** Name of no choice. */
  readonly any: string;
  /** Values with their names. */
  readonly options: readonly (readonly [value: Value, name: string])[];
  /** One of a URL that is none of them is shown as it is. */
  readonly value: string | undefined;
  readonly onChoose: (value: Value | undefined) => void;
}

/** A filter: one of some values, or any. */
export function Choice<Value extends string>({ any, label, onChoose, options, value = '' }: ChoiceProps<Value>) {
  const isKnown = value === '' || options.some(([one]) => one === value);
  return (
    <select
      class="input"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChoose(options.find(([one]) => one === currentTarget.value)?.[0])}
    >
      <option value="">{any}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {options.map(([one, name]) => (
        <option key={one} value={one}>
          {name}
        </option>
      ))}
    </select>
  );
}
