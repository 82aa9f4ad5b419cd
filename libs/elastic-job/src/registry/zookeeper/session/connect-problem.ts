/** Most texts that are told of one time without a session. */
const MOST_TOLD = 10;

/**
 * Reasons why attempts to connect fail. Each is told once, as many servers and attempts as there are, until a session
 * is there again.
 */
export class ConnectProblem {
  /** The latest reason; undefined while there is a session. */
  text: string | undefined;
  private readonly told = new Set<string>();

  /** @param tell called with a reason that was not told yet */
  constructor(private readonly tell: (reason: string) => void) {}

  /** @param isTold false notes the reason only */
  failed(reason: string, isTold: boolean): void {
    this.text = reason;
    // Time limits and ports differ from one attempt to the next.
    const kind = reason.replaceAll(/\d+/g, '#');
    if (!isTold || this.told.has(kind) || this.told.size >= MOST_TOLD) return;
    this.told.add(kind);
    this.tell(reason);
  }

  solved(): void {
    this.text = undefined;
    this.told.clear();
  }
}
