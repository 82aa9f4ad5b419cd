import './frame.css';
import { useLocation } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { texts } from '../text/index.js';
import { Bar } from './bar.js';
import { Side } from './side.js';

/** Stands around every view. After a change of the view the focus is on it: readers of screens go on there. */
export function Frame({ children }: { readonly children: ComponentChildren }) {
  const { path } = useLocation();
  const view = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) view.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return (
    <div class="app">
      <button type="button" class="btn skip" onClick={() => view.current?.focus()}>
        {texts.value.nav.skip}
      </button>
      <Side />
      <div class="main">
        <Bar />
        <main class="view" ref={view} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}
