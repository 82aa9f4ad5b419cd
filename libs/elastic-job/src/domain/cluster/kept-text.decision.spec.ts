import { describe, expect, it } from 'vitest';
import { findTextToKeep, type KnownTexts } from './kept-text.decision.js';

const seen = (text: string, zxid = 5n) => ({ text, zxid });

describe('the text that is kept for the time after a bad edit', () => {
  it.each<[string, KnownTexts, string | undefined]>([
    ['nothing usable was seen', { seen: undefined, kept: undefined, isKeptInForce: false }, undefined],
    ['nothing is kept yet', { seen: seen('a'), kept: undefined, isKeptInForce: false }, 'a'],
    ['it is kept already', { seen: seen('a'), kept: seen('a', 9n), isKeptInForce: false }, undefined],
    ['config has been edited', { seen: seen('b', 7n), kept: seen('a'), isKeptInForce: false }, 'b'],
    ['the kept one was damaged by hand', { seen: seen('a'), kept: seen('x', 9n), isKeptInForce: false }, 'a'],
    ['a bad edit came before it was kept', { seen: seen('b', 7n), kept: seen('a'), isKeptInForce: true }, 'b'],
    ['a former leader has kept a later one', { seen: seen('a'), kept: seen('b', 9n), isKeptInForce: true }, undefined],
  ])('is written by the leader only if it has to be: %s', (_, texts, expected) => {
    expect(findTextToKeep(texts)).toBe(expected);
  });
});
