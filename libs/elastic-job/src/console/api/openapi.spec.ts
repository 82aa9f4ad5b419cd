import { Ajv2020 } from 'ajv/dist/2020.js';
import { answerSchemas } from '@test/support/answer-schemas.js';
import { FakeConsole } from '@test/support/unit/console.js';
import { describe, expect, it } from 'vitest';
import { CONSOLE_ROUTES } from './console-routes.js';
import { answerNames, openApiOf } from './openapi.js';

// oxlint-disable-next-line typescript/no-explicit-any -- the tests look into it by names
const document: any = openApiOf(answerSchemas(answerNames()), '0.0.0');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi');

function operationOf({ method, path }: { readonly method: string; readonly path: string }) {
  return document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
}

/** Faults of a value by a schema of the document. */
function faultsOf(name: string, value: unknown): unknown {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`)!;
  return validate(value) ? [] : validate.errors;
}

describe('openapi.json', () => {
  it.each(CONSOLE_ROUTES)('has $method $path with its role, its status and its parameters', (route) => {
    const operation = operationOf(route);
    expect(operation).toMatchObject({ 'x-role': route.role, responses: { [route.status]: {}, default: {} } });
    const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
    const names = operation.parameters.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining([...inPath, ...Object.keys(route.query ?? {})]));
  });

  it.each(CONSOLE_ROUTES.filter(({ body }) => body !== undefined))(
    'has each field of the body of $method $path',
    (route) => {
      const { schema } = operationOf(route).requestBody.content['application/json'];
      expect(Object.keys(schema.properties)).toEqual(Object.keys(route.body!));
      expect(schema.additionalProperties).toBe(false);
    },
  );

  it('names each operation once', () => {
    const ids = CONSOLE_ROUTES.map((route) => operationOf(route).operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has schemas that can be used, and no reference to one that is not there', () => {
    const text = JSON.stringify(document);
    const named = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect(Object.keys(document.components.schemas)).toEqual(expect.arrayContaining([...new Set(named)]));
    const unusable = Object.keys(document.components.schemas).filter(
      (name) => ajv.getSchema(`openapi#/components/schemas/${name}`) === undefined,
    );
    expect(unusable).toEqual([]);
  });

  it('accepts what the routes answer, and nothing beside it', async () => {
    const console = new FakeConsole();
    const rerun = { items: [3], fireTimes: ['2026-11-22T02:00:00Z'] };
    const asked: readonly (readonly [string, string, string, object?])[] = [
      ['JobsAnswer', 'GET', '/jobs'],
      ['JobAnswer', 'GET', '/jobs/settle'],
      ['ItemsAnswer', 'GET', '/jobs/settle/items'],
      ['OverviewAnswer', 'GET', '/overview'],
      ['ServersAnswer', 'GET', '/servers?q=10.0'],
      ['ServerAnswer', 'GET', '/servers/10.0.0.1'],
      ['ConfigAnswer', 'GET', '/jobs/settle/config'],
      ['FireTimesAnswer', 'GET', '/jobs/settle/fire-times?count=3'],
      ['TriggerAnswer', 'POST', '/jobs/settle/trigger'],
      ['DoneAnswer', 'POST', '/jobs/settle/disable'],
      ['RerunsAnswer', 'GET', '/jobs/settle/reruns'],
      ['RerunAnswer', 'POST', '/jobs/settle/reruns', rerun],
      ['RerunPreviewAnswer', 'POST', '/jobs/settle/reruns?preview', rerun],
      ['ResignAnswer', 'POST', '/jobs/settle/resign'],
      ['ProblemAnswer', 'GET', '/jobs?limit=0'],
    ];
    for (const [name, method, url, body] of asked) {
      const { json } = await console.ask('admin', method, url, body);
      expect({ url, faults: faultsOf(name, json) }).toEqual({ url, faults: [] });
      expect(faultsOf(name, { ...json, more: true })).not.toEqual([]);
    }
  });
});
