import { useLocation } from 'preact-iso';
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary, useId } from 'preact/hooks';
import { texts } from '../text/index.js';
import type { Holding } from './held.js';
import { Look } from './looks.js';

interface PanelProps {
  readonly title: string;
  /** Beside the title: a count, or what the list is about. */
  readonly beside?: ComponentChildren;
  /** At the end of the header: buttons and links. */
  readonly right?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
  /** Handlers of `useHeld`. */
  readonly on?: Holding;
}

/** A part of a view with a title. What fails within it is shown in it, and the rest of the page goes on. */
export function Panel({ beside, children, class: own = '', on, right, title }: PanelProps) {
  const id = useId();
  return (
    <section class={`panel ${own}`} aria-labelledby={id} {...on}>
      <header>
        <h2 id={id}>{title}</h2>
        {beside}
        {right !== undefined && <span class="right">{right}</span>}
      </header>
      <Boundary>{children}</Boundary>
    </section>
  );
}

/** Shows an error of its children in their place, until another view is chosen. */
export function Boundary({ children }: { readonly children: ComponentChildren }) {
  const [error, reset] = useErrorBoundary((thrown) => console.error(thrown));
  const { path } = useLocation();
  useEffect(() => {
    if (error !== undefined) reset();
  }, [path]);
  if (error === undefined) return <>{children}</>;
  const { broken, brokenMore, retry } = texts.value.looks;
  return <Look title={broken} more={brokenMore} action={{ name: retry, run: reset }} isAlert />;
}
