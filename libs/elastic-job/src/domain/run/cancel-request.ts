/** An operator's request to cancel a run that is under way. The text of `cancel/{item}`. */
export interface CancelRequest {
  /** The run, as the item's record names it: a late request must not cancel the next run. */
  readonly run: string;
  /** True if the run's executor is known to be gone: no executor is told, and the run ends as GONE_BY_OPERATOR. */
  readonly isConfirmedLost: boolean;
}

const LOST = ' lost';

export function formatCancelRequest({ run, isConfirmedLost }: CancelRequest): string {
  return isConfirmedLost ? run + LOST : run;
}

export function parseCancelRequest(text: string): CancelRequest {
  const isConfirmedLost = text.endsWith(LOST);
  return { run: isConfirmedLost ? text.slice(0, -LOST.length) : text, isConfirmedLost };
}
