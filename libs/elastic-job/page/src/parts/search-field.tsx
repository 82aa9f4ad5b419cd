import { useEffect, useRef, useState } from 'preact/hooks';

const TYPING_MS = 150;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/**
 * A search that stands in the URL: it follows that, and is followed by it at the first key at once, and then once
 * nobody types any more.
 */
export function SearchField({ label, onChange, value }: SearchFieldProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const typedAt = useRef(0);
  useEffect(() => {
    if (value !== sent.current) setText(value);
    sent.current = value;
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const send = () => {
      sent.current = text;
      onChange(text);
    };
    const isFirst = Date.now() - typedAt.current > TYPING_MS;
    typedAt.current = Date.now();
    if (isFirst) {
      send();
      return undefined;
    }
    const timer = setTimeout(send, TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      class="input search"
      type="search"
      aria-label={label}
      placeholder={label}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
