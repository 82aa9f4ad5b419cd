import { useLocation } from 'preact-iso';
import { BASE, pathTo } from '../api/index.js';
import { overview, session } from '../state/index.js';
import { number, Text, texts, visibleText } from '../text/index.js';
import { Brand, Icon } from './icons.js';

export const VIEWS = ['overview', 'jobs', 'runs', 'servers', 'events', 'audit', 'session'] as const;
type View = (typeof VIEWS)[number];

export function hrefOf(view: View): string {
  return view === 'overview' ? BASE : pathTo(view);
}

export function isCurrent(view: View, path: string): boolean {
  return view === 'overview' ? `${path}/`.replace('//', '/') === BASE : `${path}/`.startsWith(`${hrefOf(view)}/`);
}

/** The column beside every view: the namespace, the views, and who is logged in. */
export function Side() {
  const facts = overview.value.value;
  const isConnected = facts !== undefined && !facts.stale;
  const { product } = texts.value;
  return (
    <aside class="side">
      <Brand>{product}</Brand>
      {facts !== undefined && (
        <div class="namespace">
          <b class="cut" title={visibleText(facts.registry.namespace)}>
            <Text>{facts.registry.namespace}</Text>
          </b>
          <span class={`dot ${isConnected ? '' : 'bad'}`} />
        </div>
      )}
      <Navigation />
      <Me />
    </aside>
  );
}

function Navigation() {
  const { path } = useLocation();
  const { nav } = texts.value;
  return (
    <nav aria-label={nav.main}>
      {VIEWS.map((view) => (
        <a key={view} href={hrefOf(view)} aria-current={isCurrent(view, path) ? 'page' : undefined}>
          <Icon name={view} />
          {nav[view]}
          <Count view={view} />
        </a>
      ))}
    </nav>
  );
}

export function Count({ view }: { readonly view: View }) {
  const facts = overview.value.value;
  const { locale, nav } = texts.value;
  if (facts === undefined) return null;
  if (view === 'overview') {
    const count = facts.needing;
    if (count === 0) return null;
    return (
      <span class="count hot" title={nav.needAttention(count)}>
        {number(count, locale)}
      </span>
    );
  }
  const counts: Partial<Record<View, number>> = { jobs: facts.jobs, servers: facts.servers };
  const count = counts[view];
  return count === undefined ? null : <span class="count">{number(count, locale)}</span>;
}

function Me() {
  const { value } = session;
  const { readOnly, roles } = texts.value;
  if (value === undefined) return null;
  return (
    <div class="me">
      <span class="avatar" aria-hidden="true">
        {visibleText(value.name).slice(0, 2).toUpperCase()}
      </span>
      <span class="cut">
        <b>
          <Text>{value.name}</Text>
        </b>
        <div class="faint small">
          {roles[value.role]}
          {value.readOnly && ` · ${readOnly}`}
        </div>
      </span>
    </div>
  );
}
