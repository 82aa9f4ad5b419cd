import { describe, expect, it } from 'vitest';
import { firstLine, piecesOf, visibleText } from './unseen.js';

describe('a text of the registry', () => {
  it('shows what nobody would see by its code', () => {
    expect(visibleText('pay\u202eroll\u0000 \u200b\u{e0041}\ufeff')).toBe('payU+202ErollU+0000 U+200BU+E0041U+FEFF');
  });

  it('keeps letters of all scripts, and marks that belong to them', () => {
    expect(piecesOf('结算 zahlung é 🚀')).toEqual([{ text: '结算 zahlung é 🚀', isCode: false }]);
  });

  it('is its first line in a list', () => {
    expect(firstLine('\n Error: no bank\r\n    at pay')).toBe('Error: no bank');
    expect(firstLine('')).toBe('');
  });

  it('keeps the lines of a stack where they are asked for', () => {
    expect(visibleText('a\nb')).toBe('aU+000Ab');
    expect(piecesOf('a\n\tb', '\n\t')).toEqual([{ text: 'a\n\tb', isCode: false }]);
  });
});
