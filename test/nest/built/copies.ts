/** The output of `copies.fixture.cjs` for an application that mixes both copies and works, be they one or two. */
export const MIXED = {
  isInjected: true,
  assigned: 1,
  isErrorOfBoth: true,
  isHidden: true,
  isMetered: true,
  status: 'OK',
  isNoOther: true,
};
