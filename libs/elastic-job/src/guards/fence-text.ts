import { type FencePosition, readJson } from '../domain/index.js';

/** A transaction id of ZooKeeper has 64 bits. */
const TOKEN = /^\d{1,20}$/;

/** The text of a fence's node. */
export function formatFence({ tokenEpoch, token }: FencePosition): string {
  return JSON.stringify({ tokenEpoch, token: token.toString() });
}

/** Reads a fence. @returns undefined if the text is none */
export function parseFence(text: string): FencePosition | undefined {
  const value = readJson(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { tokenEpoch, token } = value as Partial<Record<keyof FencePosition, unknown>>;
  const isPosition = typeof tokenEpoch === 'number' && Number.isSafeInteger(tokenEpoch);
  return isPosition && typeof token === 'string' && TOKEN.test(token)
    ? { tokenEpoch, token: BigInt(token) }
    : undefined;
}
