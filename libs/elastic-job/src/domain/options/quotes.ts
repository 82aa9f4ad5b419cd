/** Quotes that a shell removes from a value. */
const QUOTE = /['"`]/;

/** Reason why a value may have quotes, or blanks at its ends, that nobody meant. */
export const QUOTES_ARE_KEPT = "Docker's --env-file keeps quotes and blanks";

/** The first quote in a text; undefined if it has none. */
export function findQuote(given: string): string | undefined {
  return QUOTE.exec(given)?.[0];
}

/** The quote with which a text begins and ends; undefined if there is no such one. */
export function findQuotesAround(given: string): string | undefined {
  const first = given.length > 1 ? findQuote(given.slice(0, 1)) : undefined;
  return first !== undefined && given.endsWith(first) ? first : undefined;
}
