import { SystemClock } from '../../../libs/elastic-job/src/clock/index.js';

/** A clock with an address, so that several instances of one host register under addresses of their own. */
export class PlacedClock extends SystemClock {
  constructor(private readonly ip: string) {
    super();
  }

  override hostAddress(): string {
    return this.ip;
  }
}
