import { EventEmitter, once } from 'node:events';
import type { RegistryCenter, SessionInfo, SessionState } from '../../../libs/elastic-job/src/registry/index.js';

export interface DiaryEntry extends SessionInfo {
  /** By the wall clock, in milliseconds. */
  readonly at: number;
}

const LIMIT_MS = 30_000;

/** The session events of a client from now on, with their times. */
export class SessionDiary {
  readonly entries: DiaryEntry[] = [];
  readonly #news = new EventEmitter();

  constructor(private readonly center: RegistryCenter) {
    center.onSession((session) => {
      const entry = { ...session, at: Date.now() };
      this.entries.push(entry);
      if (session.state) this.#news.emit(session.state, entry);
    });
  }

  states(): readonly (SessionState | undefined)[] {
    return this.entries.map(({ state }) => state);
  }

  /** The first entry of that state. @throws if there is none within the limit, in milliseconds */
  async first(state: SessionState, limitMs = LIMIT_MS): Promise<DiaryEntry> {
    return this.entries.find((entry) => entry.state === state) ?? this.next(state, limitMs);
  }

  /** The next entry of that state from now on. @throws if there is none within the limit, in milliseconds */
  async next(state: SessionState, limitMs = LIMIT_MS): Promise<DiaryEntry> {
    try {
      const [entry]: DiaryEntry[] = await once(this.#news, state, { signal: AbortSignal.timeout(limitMs) });
      return entry!;
    } catch (cause) {
      const told = `${this.states().join(', ') || 'nothing'} (now ${this.center.session.state})`;
      throw new Error(`The session did not become ${state} within ${limitMs} ms; it said ${told}.`, { cause });
    }
  }
}
