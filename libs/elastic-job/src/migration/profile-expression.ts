/** A longer one is no expression that a person wrote. */
const MOST_CHARACTERS = 1_000;
const NAME = /[^\s()&|!]+/g;
const CHAIN = /^[01](?:(?:&[01])*|(?:\|[01])*)$/;
const GROUP = /\((?<chain>[01](?:(?:&[01])*|(?:\|[01])*))\)/g;

/**
 * True if the active profiles fulfil an expression, such as `prod & !dry`. It is undefined for a text that is none.
 * `&` and `|` stand beside each other only with parentheses.
 * @see Spring, `Profiles.of`
 */
export function acceptsProfiles(expression: string, active: ReadonlySet<string>): boolean | undefined {
  if (expression.length > MOST_CHARACTERS || expression.includes('${')) return undefined;
  let text = expression.replaceAll(NAME, (name) => (active.has(name) ? '1' : '0')).replaceAll(/\s/g, '');
  for (let before = ''; before !== text;) {
    before = text;
    text = text
      .replaceAll(/!(?<value>[01])/g, (negated) => (negated === '!0' ? '1' : '0'))
      .replaceAll(GROUP, (_, chain: string) => (isTrue(chain) ? '1' : '0'));
  }
  return CHAIN.test(text) ? isTrue(text) : undefined;
}

/** The profiles that an expression names. */
export function profilesIn(expression: string): readonly string[] {
  return expression.match(NAME) ?? [];
}

/** @param chain `1&0&1` or `1|0|1` */
function isTrue(chain: string): boolean {
  return chain.includes('|') ? chain.includes('1') : !chain.includes('0');
}
