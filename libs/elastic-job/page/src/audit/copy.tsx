import { useEffect, useState } from 'preact/hooks';
import { Text, texts } from '../text/index.js';

const SHOWN_MS = 2_000;

/** A text that can be copied, where the browser lets a page do so (HTTPS and this host). */
export function Copy({ text }: { readonly text: string }) {
  const { audit: t } = texts.value;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => {},
    );
  };
  return (
    <>
      <code>
        <Text>{text}</Text>
      </code>{' '}
      {isSecureContext && (
        <button type="button" class="btn small bare" aria-label={`${t.copy} ${text}`} onClick={copy}>
          <span role="status">{isCopied ? t.copied : t.copy}</span>
        </button>
      )}
    </>
  );
}
