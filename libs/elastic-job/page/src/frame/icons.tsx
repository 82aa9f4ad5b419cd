import type { ComponentChildren } from 'preact';

const BOX = 'h10a1 1 0 011 1v2a1 1 0 01-1 1H3a1 1 0 01-1-1';
const PATHS = {
  overview: 'M2 8l6-5 6 5M4 7v6h8V7',
  jobs: 'M2 4h12M2 8h12M2 12h8',
  runs: 'M2 4h6M5 8h8M8 12h6',
  events: 'M2 9h3l2-5 3 8 2-3h2',
  servers: `M3 3${BOX}V4a1 1 0 011-1zM3 9${BOX}v-2a1 1 0 011-1z`,
  audit: 'M4 2h6l3 3v9H4zM6 8h5M6 11h3',
  session: 'M8 8a3 3 0 100-6 3 3 0 000 6zM3 14c0-3 2-4.500 5-4.500s5 1.500 5 4.500',
  find: 'M7 11.500a4.500 4.500 0 100-9 4.500 4.500 0 000 9zM10.500 10.500L14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  leave: 'M9 3H3v10h6M6.500 8H14M11 5l3 3-3 3',
};

/** A sign beside a word, which readers of screens are not told. */
export function Icon({ name }: { readonly name: keyof typeof PATHS }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Brand({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="brand">
      <svg viewBox="0 0 20 20" aria-hidden="true">
        <rect x="1" y="1" width="8" height="8" rx="2" fill="var(--accent)" />
        <rect x="11" y="1" width="8" height="8" rx="2" fill="var(--accent)" opacity=".45" />
        <rect x="1" y="11" width="8" height="8" rx="2" fill="var(--accent)" opacity=".45" />
        <rect
          x="11.8"
          y="11.8"
          width="6.4"
          height="6.4"
          rx="1.4"
          fill="none"
          stroke="var(--accent)"
          stroke-width="1.6"
        />
      </svg>
      {children}
    </div>
  );
}
