import type { Clock } from '../../../clock/index.js';
import type { TlsSettings } from '../wire/index.js';

/** Milliseconds after which a main thread without an answer counts as blocked. */
const ANSWER_MS = 500;

/**
 * Options of TLS that a function of the main thread gives, asked for each connection. While that thread is blocked, its
 * latest options stand, since the session must be kept meanwhile.
 */
export class AskedTls {
  private latest: TlsSettings | undefined;
  private answer: ((settings: TlsSettings | Error) => void) | undefined;

  constructor(
    private readonly clock: Pick<Clock, 'setTimer'>,
    private readonly ask: () => void,
  ) {}

  /** @throws the error of the function. Without any options it waits, up to the limit of the attempt */
  read(): Promise<TlsSettings> {
    return new Promise((resolve, reject) => {
      const timer = this.clock.setTimer(ANSWER_MS, () => this.latest && resolve(this.latest));
      this.answer = (settings) => {
        timer.cancel();
        if (settings instanceof Error) reject(settings);
        else resolve((this.latest = settings));
      };
      this.ask();
    });
  }

  answered(settings: TlsSettings | Error): void {
    this.answer?.(settings);
  }
}
