import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';

/** The host's clock, delayed by some milliseconds: jobs that are due at full seconds are due that much later. */
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
