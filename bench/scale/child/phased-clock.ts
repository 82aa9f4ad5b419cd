import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';

/** The host's clock, so many milliseconds behind: jobs that are due at full seconds are due so much later. */
export class PhasedClock extends SystemClock {
  constructor(
    private readonly behindMs: number,
    private readonly ip?: string,
  ) {
    super();
  }

  override wallNow(): number {
    return super.wallNow() - this.behindMs;
  }

  override hostAddress(): string {
    return this.ip ?? super.hostAddress();
  }
}
