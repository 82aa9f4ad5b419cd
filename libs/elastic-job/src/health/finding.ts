/** `degraded`: works, or will recover by itself; needs no restart and may still get traffic. */
export type HealthVerdict = 'up' | 'degraded' | 'down';

/** A reason why something is not `up`, in words for an operator. */
export interface Finding {
  readonly status: HealthVerdict;
  readonly reason: string;
}

export function down(reason: string): Finding {
  return { status: 'down', reason };
}

export function degraded(reason: string): Finding {
  return { status: 'degraded', reason };
}

/** The worst of the findings. */
export function worstOf(findings: readonly Finding[]): HealthVerdict {
  const worst = (['down', 'degraded'] as const).find((status) => findings.some((finding) => finding.status === status));
  return worst ?? 'up';
}

export function reasonsOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ reason }) => reason);
}
