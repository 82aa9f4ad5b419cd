import { type Leaf, pathText, uniform } from './settings-tree.js';

/** The innermost placeholder of a text: `${NAME}` or `${NAME:default}`. */
const PLACEHOLDER = /\$\{(?<name>[^${}:]+)(?::(?<usual>[^${}]*))?\}/;
/** Placeholders may name each other. */
const MOST_STEPS = 50;

/** A text whose placeholders are replaced. */
interface Filled {
  readonly text: string;
  /** Names whose defaults were taken. */
  readonly defaulted: readonly string[];
  /** A name without a value and a default: the text cannot be used. */
  readonly missing?: string;
}

/** Values for Spring's placeholders: those that are given, then the other settings of the file. */
export class Placeholders {
  private readonly settings: ReadonlyMap<string, string>;

  constructor(
    private readonly given: Readonly<Record<string, string | undefined>>,
    leaves: readonly Leaf[],
  ) {
    this.settings = new Map(leaves.map(({ path, text }) => [uniform(pathText(path)), text]));
  }

  fill(given: string): Filled {
    let text = given;
    const defaulted: string[] = [];
    for (let step = 0; step < MOST_STEPS; step += 1) {
      const match = PLACEHOLDER.exec(text);
      if (match === null) return { text, defaulted };
      const { name = '', usual } = match.groups!;
      const known = this.givenFor(name) ?? this.givenFor(variableOf(name)) ?? this.settings.get(uniform(name));
      const value = known ?? usual;
      if (value === undefined) return { text, defaulted, missing: name };
      if (known === undefined) defaulted.push(name);
      text = text.slice(0, match.index) + value + text.slice(match.index + match[0].length);
    }
    return { text, defaulted, missing: PLACEHOLDER.exec(text)?.groups!['name'] };
  }

  private givenFor(name: string): string | undefined {
    return Object.hasOwn(this.given, name) ? this.given[name] : undefined;
  }
}

/** The environment variable that Spring Boot takes for a name: `ZK_SERVERLISTS` for `zk.server-lists`. */
function variableOf(name: string): string {
  return name.replaceAll('-', '').replaceAll('.', '_').toUpperCase();
}
