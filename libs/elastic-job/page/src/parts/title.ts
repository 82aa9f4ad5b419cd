import { useEffect } from 'preact/hooks';
import { texts } from '../text/index.js';

/** Names the view in the tab of the browser, the most particular part first. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, texts.value.product].join(' · ');
  useEffect(() => void (document.title = title), [title]);
}
