// JSON Schemas of what the routes of the console answer, made of the types by the compiler that the workspace has. The
// generators of npm that know TypeScript 6 need a newer Node than this package supports.
import { resolve } from 'node:path';
import ts from 'typescript';

export type Schema = Readonly<Record<string, unknown>>;

const CONTRACT = 'libs/elastic-job/src/console/contract/index.ts';

/**
 * Schemas of types of the contract by their names, with those of every type that they name.
 * @throws {Error} for a name that the contract does not export, and for a type that JSON does not have
 */
export function answerSchemas(names: readonly string[], contract = CONTRACT): Readonly<Record<string, Schema>> {
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  };
  const program = ts.createProgram([resolve(contract)], options);
  const source = program.getSourceFile(resolve(contract));
  if (source === undefined) throw new Error(`There is no ${contract}.`);
  return new Schemas(program.getTypeChecker(), source).of(names);
}

class Schemas {
  private readonly schemas = new Map<string, Schema>();
  private readonly exports: ReadonlyMap<string, ts.Symbol>;

  constructor(
    private readonly checker: ts.TypeChecker,
    source: ts.SourceFile,
  ) {
    const module = checker.getSymbolAtLocation(source);
    const exported = module === undefined ? [] : checker.getExportsOfModule(module);
    this.exports = new Map(exported.map((symbol) => [symbol.name, symbol]));
  }

  of(names: readonly string[]): Readonly<Record<string, Schema>> {
    for (const name of names) this.refTo(name);
    return Object.fromEntries([...this.schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  private refTo(name: string): Schema {
    if (!this.schemas.has(name)) {
      const symbol = this.exports.get(name);
      if (symbol === undefined) throw new Error(`The contract exports no ${name}.`);
      this.schemas.set(name, {}); // A type may name itself.
      const schema = this.ofObject(this.checker.getDeclaredTypeOfSymbol(symbol));
      this.schemas.set(name, { ...schema, ...this.descriptionOf(symbol) });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private ofType(type: ts.Type): Schema {
    const { checker } = this;
    if (type.flags & ts.TypeFlags.Unknown) return {};
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.isStringLiteral()) return { const: type.value };
    if (type.flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.isUnion()) return this.ofUnion(type);
    if (checker.isArrayType(type)) return { type: 'array', items: this.ofType(this.elementOf(type)) };
    const named = type.aliasSymbol === undefined && type.isClassOrInterface() ? type.symbol.name : undefined;
    if (named !== undefined && this.exports.has(named)) return this.refTo(named);
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.ofObject(type);
    throw new Error(`JSON has no ${checker.typeToString(type)}.`);
  }

  private ofUnion({ types }: ts.UnionType): Schema {
    const values = types.flatMap((type) => (type.isStringLiteral() ? [type.value] : []));
    const others = types.filter((type) => !type.isStringLiteral());
    const isBoolean = others.filter((type) => type.flags & ts.TypeFlags.BooleanLiteral).length === 2;
    const rest = others.filter((type) => !(isBoolean && type.flags & ts.TypeFlags.BooleanLiteral));
    const schemas = [
      ...(values.length > 0 ? [{ enum: values }] : []),
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...rest.filter((type) => !(type.flags & ts.TypeFlags.Undefined)).map((type) => this.ofType(type)),
    ];
    return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
  }

  private ofObject(type: ts.Type): Schema {
    const { checker } = this;
    const properties = checker.getPropertiesOfType(type);
    const index = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    const isGiven = (property: ts.Symbol) => !(property.flags & ts.SymbolFlags.Optional);
    return {
      type: 'object',
      properties: Object.fromEntries(
        properties.map((property) => [
          property.name,
          { ...this.ofType(checker.getTypeOfSymbol(property)), ...this.descriptionOf(property) },
        ]),
      ),
      required: properties.filter(isGiven).map((property) => property.name),
      additionalProperties: index === undefined ? false : this.ofType(index),
    };
  }

  private elementOf(type: ts.Type): ts.Type {
    const element = this.checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element === undefined) throw new Error(`${this.checker.typeToString(type)} has no elements.`);
    return element;
  }

  private descriptionOf(symbol: ts.Symbol): Schema {
    const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker)).replaceAll(/\s+/g, ' ');
    return description === '' ? {} : { description };
  }
}
