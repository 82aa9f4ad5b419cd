import { EventEmitter, once } from 'node:events';

const EXPIRY = /^(\S+) .*Expiring session 0x([\da-f]+),/;

/** Reads from a server's log which sessions it has expired, and when. */
export class ExpiryLog {
  readonly #expiredAt = new Map<string, number>();
  readonly #news = new EventEmitter().setMaxListeners(0);
  #unfinished = '';

  /** The next piece of the log. */
  read(text: string): void {
    const lines = (this.#unfinished + text).split('\n');
    this.#unfinished = lines.pop() ?? '';
    for (const line of lines) {
      const [, at, id] = EXPIRY.exec(line) ?? [];
      if (at === undefined || id === undefined) continue;
      this.#expiredAt.set(id, Date.parse(at));
      this.#news.emit(id);
    }
  }

  /** @throws if the session is not expired within the limit */
  async untilExpired(sessionId: string, limitMs: number): Promise<number> {
    if (!this.#expiredAt.has(sessionId)) await once(this.#news, sessionId, { signal: AbortSignal.timeout(limitMs) });
    return this.#expiredAt.get(sessionId)!;
  }
}
