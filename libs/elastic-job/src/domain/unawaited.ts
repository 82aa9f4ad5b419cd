/** The answer itself. Its rejection does not end the process if the caller, a user's function, does not await it. */
export function heard<Answer>(answer: Answer): Answer {
  hearRejection(answer);
  return answer;
}

/**
 * Hears the rejection of an answer that nothing waits for. A user's function may be `async` although its type says
 * otherwise; without this, its rejection would end the process.
 * @param hear must not throw. @default the rejection is ignored
 */
export function hearRejection(answer: unknown, hear: (error: unknown) => void = () => {}): void {
  if (answer === null || (typeof answer !== 'object' && typeof answer !== 'function')) return;
  const awaited = async (): Promise<unknown> => answer;
  awaited().catch(hear);
}
