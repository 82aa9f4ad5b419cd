/** What `copies.fixture.cjs` says of an application that mixes both copies and works, whether they are one or two. */
export const MIXED = {
  isInjected: true,
  assigned: 1,
  isErrorOfBoth: true,
  isHidden: true,
  isMetered: true,
  status: 'OK',
  isNoOther: true,
};
