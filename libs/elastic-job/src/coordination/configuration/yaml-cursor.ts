import { NODE_TEXT_LIMITS } from '../../domain/index.js';

/** A value of a YAML text. An alias is not copied: it is the same node as its anchor. */
export type YamlNode =
  | YamlScalar
  | { readonly kind: 'list'; readonly items: readonly YamlNode[] }
  | { readonly kind: 'mapping'; readonly entries: readonly YamlEntry[] };

export interface YamlScalar {
  readonly kind: 'scalar';
  readonly text: string;
  /** True without quotes and not in a block, so that the text may stand for a number or for null. */
  readonly isPlain: boolean;
}

export interface YamlEntry {
  readonly key: string;
  readonly value: YamlNode;
  /** Position of the key in the text, including its tag and anchor. */
  readonly at: number;
  /** End of the key, including quotes. */
  readonly keyEnd: number;
  /** End of the value's own text; comments and blank lines after it are not part of it. */
  readonly valueEnd: number;
  /** True if it is written as `{key: value}`. */
  readonly isFlow: boolean;
}

/** Value of a key without a value. */
export const NOTHING: YamlNode = { kind: 'scalar', text: '', isPlain: true };

// Characters are compared by their codes, since a large text has a hundred thousand tokens.
const NEWLINE = 0x0a;
const HASH = 0x23;

/** Fault of an unreadable text. It never leaves the reader. */
export class YamlFault extends Error {
  constructor(
    /** Position in the text. */
    readonly at: number,
    problem: string,
  ) {
    super(problem);
  }
}

/** A line after the current one. */
interface LaterLine {
  readonly start: number;
  /** Start of its text, after the blanks. */
  readonly at: number;
  /** Number of blank lines before it. */
  readonly blankLines: number;
}

/** A position in a YAML text. It only moves forward, so reading takes time proportional to the length of the text. */
export class YamlCursor {
  at = 0;
  /** End of the last token; comments and blank lines after it are not part of it. */
  textEnd = 0;
  private lineStart = 0;
  private knownLineEnd = -1;
  private nodes = 0;
  private depth = 0;
  private aliases = 0;
  private readonly anchors = new Map<string, YamlNode>();

  constructor(readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  get char(): string {
    return this.text[this.at] ?? '';
  }

  /** Distance of the position from the start of its line. */
  get column(): number {
    return this.at - this.lineStart;
  }

  /** End of the line that contains the position. */
  get lineEnd(): number {
    if (this.knownLineEnd < this.at) this.knownLineEnd = endOfLine(this.text, this.at);
    return this.knownLineEnd;
  }

  fail(problem: string, at = this.at): never {
    throw new YamlFault(at, problem);
  }

  /** True if the marker is here, followed by a blank, the end of the line or the end of the text. */
  isMarker(marker: string, at = this.at): boolean {
    return this.text.startsWith(marker, at) && isBlankAt(this.text, at + marker.length);
  }

  /** True at `---` or `...` at the start of a line, where the document ends. */
  isDocumentMarker(at = this.at): boolean {
    if (at > 0 && this.text.charCodeAt(at - 1) !== NEWLINE) return false;
    return this.isMarker('---', at) || this.isMarker('...', at);
  }

  skipBlanks(): void {
    while (isBlankCode(this.text.charCodeAt(this.at))) this.at += 1;
  }

  /**
   * Skips blanks.
   * @returns true if the rest of the line is empty or a comment; a comment needs a blank before it
   */
  isLineDone(): boolean {
    this.skipBlanks();
    if (this.at >= this.text.length) return true;
    const code = this.text.charCodeAt(this.at);
    if (code === NEWLINE) return true;
    return code === HASH && (this.at === this.lineStart || isBlankAt(this.text, this.at - 1));
  }

  /** Skips blanks, comments and line ends up to the next token. Only inside brackets may it be indented by tabs. */
  skipToContent(isFlow = false): void {
    let hasMoved = false;
    while (this.isLineDone()) {
      if (this.lineEnd >= this.text.length) {
        this.at = this.text.length;
        return;
      }
      this.startLine(this.lineEnd + 1);
      hasMoved = true;
    }
    if (!isFlow && hasMoved && this.text.slice(this.lineStart, this.at).includes('\t')) {
      this.fail('a line must be indented by spaces, not by tabs');
    }
  }

  startLine(start: number, at = start): void {
    this.lineStart = start;
    this.at = at;
  }

  /** Next line that is not blank, seen from the end of this one; undefined if there is none. */
  laterLine(): LaterLine | undefined {
    let start = this.lineEnd + 1;
    for (let blankLines = 0; start < this.text.length; blankLines += 1) {
      let at = start;
      while (isBlankCode(this.text.charCodeAt(at))) at += 1;
      if (at >= this.text.length) return undefined;
      if (this.text.charCodeAt(at) !== NEWLINE) return { start, at, blankLines };
      start = at + 1;
    }
    return undefined;
  }

  /** Text up to the next blank, or to an indicator that ends it inside brackets. */
  takeWord(): string {
    const start = this.at;
    while (!isBlankAt(this.text, this.at) && !isFlowIndicatorAt(this.text, this.at)) this.at += 1;
    return this.text.slice(start, this.at);
  }

  countNode(): void {
    this.nodes += 1;
    if (this.nodes > NODE_TEXT_LIMITS.nodes) this.fail(`it holds more than ${NODE_TEXT_LIMITS.nodes} values`);
  }

  /** Enters a node that contains others; `leave` must follow. */
  enter(): void {
    this.depth += 1;
    if (this.depth > NODE_TEXT_LIMITS.depth) this.fail(`it is nested deeper than ${NODE_TEXT_LIMITS.depth} levels`);
  }

  leave(): void {
    this.depth -= 1;
  }

  remember(anchor: string | undefined, node: YamlNode): YamlNode {
    if (anchor !== undefined) this.anchors.set(anchor, node);
    return node;
  }

  /** Reads an alias, at `*name`. */
  takeAlias(): YamlNode {
    const { at } = this;
    this.aliases += 1;
    if (this.aliases > NODE_TEXT_LIMITS.aliases) this.fail(`it has more than ${NODE_TEXT_LIMITS.aliases} aliases`);
    this.at += 1;
    const name = this.takeWord();
    return this.anchors.get(name) ?? this.fail(`the alias "*${name}" has no anchor`, at);
  }
}

export function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** True at a blank, the end of a line or the end of the text. */
export function isBlankAt(text: string, at: number): boolean {
  return at >= text.length || isBlankCode(text.charCodeAt(at)) || text.charCodeAt(at) === NEWLINE;
}

/** True at a character that ends a plain text or a name inside `[...]` and `{...}`. */
export function isFlowIndicatorAt(text: string, at: number): boolean {
  switch (text.charCodeAt(at)) {
    case 0x2c: // ,
    case 0x5b: // [
    case 0x5d: // ]
    case 0x7b: // {
    case 0x7d: // }
      return true;
    default:
      return false;
  }
}

function isBlankCode(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d;
}
