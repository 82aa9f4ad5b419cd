import { readFileSync } from 'node:fs';
import ts from 'typescript';

const LIBRARY = 'libs/elastic-job';
const TSCONFIG = `${LIBRARY}/tsconfig.lib.json`;

/** A member of an interface, as its declaration and its docstring say. */
export interface Member {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly text: string;
  /** The text of `@default`; undefined: there is none. */
  readonly default: string | undefined;
  /** Types of the library that stand for a choice of words, each with its docstring. */
  readonly choices: readonly (readonly [string, string])[];
}

/** The docstring of a declaration: its text without blocks of code, and the texts of its tags by name. */
export interface Doc {
  readonly text: string;
  readonly tags: ReadonlyMap<string, string>;
}

/** A type that is a choice of words. */
export interface Words {
  readonly name: string;
  readonly words: readonly string[];
  readonly text: string;
}

/** The library's sources, as the TypeScript compiler reads them. */
export class Source {
  readonly checker: ts.TypeChecker;
  /** Names of what lacks a docstring, each with what is wrong. */
  readonly faults: string[] = [];
  /** Entries of the package by the name that an application imports: `nestjs-elastic-job/registry`. */
  private readonly entries: ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>>;

  private constructor(
    readonly program: ts.Program,
    entries: ReadonlyMap<string, string>,
  ) {
    this.checker = program.getTypeChecker();
    this.entries = new Map([...entries].map(([entry, file]) => [entry, this.namesIn(file)]));
  }

  static read(): Source {
    const { config } = ts.readConfigFile(TSCONFIG, (path) => ts.sys.readFile(path));
    const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, LIBRARY);
    return new Source(ts.createProgram(fileNames, { ...options, noEmit: true }), entryFiles());
  }

  /** A source of one file, which is an entry, for tests. */
  static of(text: string): Source {
    const file = 'entry.ts';
    const host = ts.createCompilerHost({});
    host.getSourceFile = (path) =>
      path === file ? ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true) : undefined;
    return new Source(ts.createProgram([file], { noLib: true }, host), new Map([['entry', file]]));
  }

  /** The entry that exports a declaration. The front door's old places, which are deprecated, do not count. */
  entryOf(symbol: ts.Symbol): string | undefined {
    const old = this.namesIn(`${LIBRARY}/src/entries/deprecated.ts`);
    const having = [...this.entries].filter(([, names]) => [...names.values()].includes(symbol));
    const [first, second] = having.map(([entry]) => entry);
    return old.has(symbol.name) && second !== undefined ? second : first;
  }

  /** Every name that entries export, but for those of `nestjs-elastic-job/testing`. */
  get exported(): ReadonlyMap<string, ts.Symbol> {
    const others = [...this.entries].filter(([entry]) => !entry.endsWith('/testing'));
    return new Map(others.flatMap(([, names]) => [...names]));
  }

  /** The declaration that entries export under that name. @throws {TypeError} if there is none */
  public(name: string): ts.Symbol {
    const found = this.exported.get(name);
    if (found === undefined) throw new TypeError(`No entry exports ${name} any more.`);
    return found;
  }

  /** The declaration of that name in a file. @throws {TypeError} if there is none */
  declared(file: string, name: string): ts.Symbol {
    const found = this.namesIn(file).get(name);
    if (found === undefined) throw new TypeError(`${file} exports no ${name} any more.`);
    return found;
  }

  /** The members of an interface with those that it inherits. One without a docstring is a fault. */
  membersOf(symbol: ts.Symbol): readonly Member[] {
    return this.checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .map((member) => this.memberOf(symbol, member));
  }

  /** The library's files. */
  get ownFiles(): readonly ts.SourceFile[] {
    return this.program.getSourceFiles().filter(({ fileName }) => fileName.includes(`${LIBRARY}/src/`));
  }

  /**
   * The types of words that types of some files name, in alphabetical order. One without a docstring is a fault.
   * @param further types of other files, each with its file
   */
  wordsIn(files: readonly string[], further: readonly (readonly [string, string])[]): readonly Words[] {
    const found = new Set(further.map(([path, name]) => this.declared(path, name)));
    const visit = (node: ts.Node): void => {
      const symbol = ts.isTypeReferenceNode(node) ? this.checker.getSymbolAtLocation(node.typeName) : undefined;
      const isAlias = symbol !== undefined && (symbol.flags & ts.SymbolFlags.Alias) !== 0;
      if (symbol !== undefined) found.add(isAlias ? this.checker.getAliasedSymbol(symbol) : symbol);
      ts.forEachChild(node, visit);
    };
    for (const file of files) {
      const source = this.program.getSourceFile(file);
      if (source !== undefined) visit(source);
    }
    const types = [...found].map((symbol) => ({
      name: symbol.name,
      words: this.wordsOf(symbol),
      text: this.docOf(symbol).text,
    }));
    const words = types.filter((type) => type.words.length > 0);
    this.faults.push(...words.flatMap(({ name, text }) => (text === '' ? [`${name} has no docstring`] : [])));
    return words.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** The texts that calls of `this.name(..., text)` have as their last argument; `…` stands for a value. */
  textsOfCalls(name: string): readonly string[] {
    const texts = new Set<string>();
    const visit = (node: ts.Node): void => {
      ts.forEachChild(node, visit);
      if (!ts.isCallExpression(node) || node.expression.getText() !== `this.${name}`) return;
      const last = node.arguments.at(-1);
      if (last === undefined) return;
      if (ts.isStringLiteralLike(last)) texts.add(last.text);
      if (ts.isTemplateExpression(last))
        texts.add(last.head.text + last.templateSpans.map(({ literal }) => `…${literal.text}`).join(''));
    };
    for (const file of this.ownFiles) visit(file);
    return [...texts].toSorted();
  }

  /** Texts that constants of the library stand for, with their docstrings. One without is a fault. */
  constants(pattern: RegExp): readonly { readonly value: string; readonly text: string }[] {
    const lists = this.ownFiles.flatMap(({ statements }) => statements.filter(ts.isVariableStatement));
    return lists.flatMap(({ declarationList }) =>
      declarationList.declarations.flatMap(({ name, initializer }) => {
        if (initializer === undefined || !ts.isStringLiteral(initializer) || !pattern.test(initializer.text)) return [];
        const symbol = this.checker.getSymbolAtLocation(name);
        const text = symbol === undefined ? '' : this.docOf(symbol).text;
        if (text === '') this.faults.push(`${name.getText()} has no docstring`);
        return [{ value: initializer.text, text }];
      }),
    );
  }

  private memberOf(of: ts.Symbol, member: ts.Symbol): Member {
    const [declaration] = member.declarations ?? [];
    const { text, tags } = this.docOf(member);
    const value = tags.get('default');
    if (text === '') this.faults.push(`${of.name}.${member.name} has no docstring`);
    const type = declaration !== undefined && ts.isPropertySignature(declaration) ? declaration.type : undefined;
    if (type === undefined) throw new TypeError(`${of.name}.${member.name} is no property with a type.`);
    return {
      name: member.name,
      type: type.getText().replaceAll(/\s+/g, ' '),
      isOptional: (member.flags & ts.SymbolFlags.Optional) !== 0,
      text,
      default: value,
      choices: this.choicesIn(type),
    };
  }

  /** Aliases of unions with words that a type names. */
  private choicesIn(type: ts.TypeNode): readonly (readonly [string, string])[] {
    const symbol = ts.isTypeReferenceNode(type) ? this.checker.getSymbolAtLocation(type.typeName) : undefined;
    if (symbol === undefined) return [];
    const target = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : this.checker.getAliasedSymbol(symbol);
    const text = this.docOf(target).text;
    return text !== '' && this.wordsOf(target).length > 0 ? [[target.name, text]] : [];
  }

  /** The words of a type that is a union of them; empty: it is none. */
  wordsOf(symbol: ts.Symbol): readonly string[] {
    if ((symbol.flags & ts.SymbolFlags.TypeAlias) === 0) return [];
    const type = this.checker.getDeclaredTypeOfSymbol(symbol);
    return (type.isUnion() ? type.types : [type]).flatMap((one) => (one.isStringLiteral() ? one.value : []));
  }

  docOf(symbol: ts.Symbol): Doc {
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    const text = comment.replaceAll(/^```[\s\S]*?^```$/gm, '').trim();
    const tags = symbol.getJsDocTags(this.checker);
    return { text, tags: new Map(tags.map((tag) => [tag.name, ts.displayPartsToString(tag.text).trim()])) };
  }

  private namesIn(file: string): ReadonlyMap<string, ts.Symbol> {
    const source = this.program.getSourceFile(file);
    const module = source && this.checker.getSymbolAtLocation(source);
    if (module === undefined) return new Map();
    return new Map(
      this.checker.getExportsOfModule(module).map((symbol) => {
        const isAlias = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
        return [symbol.name, isAlias ? this.checker.getAliasedSymbol(symbol) : symbol];
      }),
    );
  }
}

/** The source of each entry of the package. */
function entryFiles(): ReadonlyMap<string, string> {
  const { name, exports }: { name: string; exports: Record<string, string | { default: { default: string } }> } =
    JSON.parse(readFileSync(`${LIBRARY}/package.json`, 'utf8'));
  return new Map(
    Object.entries(exports).flatMap(([entry, target]) =>
      typeof target === 'string'
        ? []
        : [
            [
              name + entry.slice(1),
              `${LIBRARY}/${target.default.default.replace('./dist/', 'src/').replace(/js$/, 'ts')}`,
            ],
          ],
    ),
  );
}
