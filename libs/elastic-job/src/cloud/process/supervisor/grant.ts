import { sharedNow } from '../../../clock/index.js';
import { type ChannelGrant, leftOfGrant } from '../../task-channel.js';

/** Why a task is lost whose grants have ended. */
export const SILENT = 'the scheduler was silent for longer than its lease';

/**
 * How long a scheduler may act for an item. The instant is on the clock that all processes of the host share, so that a
 * message which was late, or whose writer stood still, grants nothing more.
 */
export interface Grant extends ChannelGrant {
  /** Others leave the item alone for this time after that, in milliseconds. */
  readonly lossGraceMs: number;
}

/** The time that is left of a grant, in milliseconds. */
export function leftOf(grant: Grant, now = sharedNow()): number {
  return leftOfGrant(grant, now);
}
