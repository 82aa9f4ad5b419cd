import type { InputHTMLAttributes } from 'preact';

type TextFieldProps = InputHTMLAttributes & {
  readonly label: string;
  readonly class?: string;
  readonly value: string;
  readonly onText: (text: string) => void;
};

/** One line of text in a form, under its name. What it is given as children stands below it, such as a hint. */
export function TextField({ children, class: more = '', label, onText, ...attributes }: TextFieldProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input class={`input ${more}`} onInput={(event) => onText(event.currentTarget.value)} {...attributes} />
      {children}
    </label>
  );
}
