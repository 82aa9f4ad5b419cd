/**
 * One stream for all tabs of this page. A lock elects the tab that holds it (`LiveSource`); a channel takes the topics
 * that other tabs want to it, and its frames and its state to them. A tab that dies leaves its lock to another one.
 *
 * A tab that was hidden for a minute wants nothing, and gives the lock away: once all are hidden, the stream is closed.
 * Where the browser has no locks, each tab has a stream of its own.
 */
import { computed, signal } from '@preact/signals';
import { unreachableSince } from './client.js';
import { LiveSource, type LinkState } from './live-source.js';
import { BASE } from './place.js';
import { present } from './present.js';

export type LiveState = LinkState | 'paused';

type Message =
  | { readonly kind: 'want'; readonly tab: string; readonly topics: readonly string[] }
  | { readonly kind: 'who' }
  | { readonly kind: 'frame'; readonly topic: string; readonly frame: unknown }
  | { readonly kind: 'state'; readonly state: LinkState };

/** A frame is of the type that its topic has in the API. */
type Listener = (frame: any) => void;

const HIDDEN_MS = 60_000;
const NAME = `elastic-job-console:${BASE}`;

const link = signal<LiveState>('connecting');
/** Since when there is no stream. */
const silentSince = signal<number | undefined>(undefined);
/** Since when what is shown gets no news, in milliseconds since the epoch; undefined while it does. */
export const staleSince = computed(() => silentSince.value ?? unreachableSince.value);
export const liveState = computed<LiveState>(() => {
  return link.value !== 'paused' && unreachableSince.value !== undefined ? 'lost' : link.value;
});

/** Browsers make a UUID for a page over HTTPS alone, and an application with its own `auth` may have none. */
const tab = crypto.getRandomValues(new Uint32Array(4)).join('-');
const listeners = new Map<string, Set<Listener>>();
const wanted = new Map<string, readonly string[]>();
let channel: BroadcastChannel | undefined;
let source: LiveSource | undefined;
let contest: AbortController | undefined;
let pausing: ReturnType<typeof setTimeout> | undefined;

/** Hears each frame of a topic. @returns a function that ends it */
export function listen(topic: string, listener: Listener): () => void {
  const own = listeners.get(topic) ?? new Set();
  listeners.set(topic, own.add(listener));
  want();
  return () => {
    own.delete(listener);
    if (own.size === 0) listeners.delete(topic);
    want();
  };
}

/** Begins, once somebody is logged in. @returns a function that ends it */
export function startLive(): () => void {
  channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  const onVisibility = () => {
    clearTimeout(pausing);
    if (document.visibilityState === 'visible') compete();
    else pausing = setTimeout(pause, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', onVisibility);
  addEventListener('pagehide', pause);
  addEventListener('pageshow', compete);
  compete();
  // It may be opened behind another tab, and never looked at.
  onVisibility();
  return () => {
    document.removeEventListener('visibilitychange', onVisibility);
    removeEventListener('pagehide', pause);
    removeEventListener('pageshow', compete);
    clearTimeout(pausing);
    pause();
    channel?.close();
    channel = undefined;
  };
}

function compete(): void {
  if (contest !== undefined) return;
  contest = new AbortController();
  setLink('connecting');
  const { signal: left } = contest;
  const hold = () => {
    if (left.aborted) return Promise.resolve();
    lead();
    return new Promise<void>((resolve) => left.addEventListener('abort', () => resolve(), { once: true }));
  };
  const locks: LockManager | undefined = navigator.locks;
  if (locks === undefined) void hold();
  else locks.request(NAME, { signal: left }, hold).catch(() => {});
  want();
}

function pause(): void {
  contest?.abort();
  contest = undefined;
  source?.close();
  source = undefined;
  wanted.clear();
  post({ kind: 'want', tab, topics: [] });
  setLink('paused');
}

/** This tab holds the stream from now on. */
function lead(): void {
  source = new LiveSource({
    onFrame: (topic, frame) => {
      post({ kind: 'frame', topic, frame });
      tell(topic, frame);
    },
    onState: (state) => {
      post({ kind: 'state', state });
      setLink(state);
    },
  });
  post({ kind: 'who' });
  want();
}

/** Says what this tab wants: to itself if it leads, or to the tab that does. */
function want(): void {
  if (contest === undefined) return;
  const topics = [...listeners.keys()];
  wanted.set(tab, topics);
  if (source === undefined) post({ kind: 'want', tab, topics });
  else follow();
}

function follow(): void {
  source?.follow([...new Set([...wanted.values()].flat())].toSorted());
}

function receive(message: Message): void {
  if (message.kind === 'frame') return tell(message.topic, message.frame);
  if (message.kind === 'state') return setLink(message.state);
  if (message.kind === 'who') return want();
  if (source === undefined) return;
  wanted.set(message.tab, message.topics);
  follow();
  post({ kind: 'state', state: link.value === 'paused' ? 'connecting' : link.value });
}

function tell(topic: string, frame: unknown): void {
  if (contest === undefined) return;
  for (const listener of listeners.get(topic) ?? []) listener(frame);
}

function setLink(state: LiveState): void {
  if (state !== 'paused' && contest === undefined) return;
  link.value = state;
  if (state === 'live' || state === 'polling') silentSince.value = undefined;
  else silentSince.value ??= present();
}

function post(message: Message): void {
  // A channel is of this origin alone.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  channel?.postMessage(message);
}
