import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { Dialog } from '../parts/index.js';
import { words } from './texts.js';

/** Asks before a link leads away from an edit that was not sent. The edit stays, whatever is chosen. */
export function Leaving({ count }: { readonly count: number }) {
  const { route } = useLocation();
  const [href, setHref] = useState<string>();
  useEffect(() => {
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (link === null || isElsewhere || link.origin !== location.origin || link.pathname === location.pathname)
        return;
      event.preventDefault();
      event.stopPropagation();
      setHref(link.href.slice(location.origin.length));
    };
    document.addEventListener('click', onClick, { capture: true });
    return () => document.removeEventListener('click', onClick, { capture: true });
  }, []);
  if (href === undefined) return null;
  const t = words.value.leave;
  return (
    <Dialog title={t.title} onCancel={() => setHref(undefined)}>
      <p>{t.text(count)}</p>
      <footer>
        <button type="button" class="btn" onClick={() => route(href)}>
          {t.go}
        </button>
        <button type="button" class="btn main" autofocus onClick={() => setHref(undefined)}>
          {t.stay}
        </button>
      </footer>
    </Dialog>
  );
}
