import { answerSchemas } from '@test/support/answer-schemas.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { answerNames, openApiOf } from '../../../libs/elastic-job/src/console/api/openapi.js';
import { CONSOLE_ROUTES } from '../../../libs/elastic-job/src/console/index.js';

const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema(openApiOf(answerSchemas(answerNames()), '0.0.0'), 'openapi');

interface Answered {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly type: string;
  readonly json: unknown;
}

/** Faults of an answer of the API by `openapi.json`; none for what the document does not describe by a schema. */
export function answerFaults({ json, method, status, type, url }: Answered): readonly unknown[] {
  const path = /\/api\/v1(\/[^?]*)/.exec(url)?.[1];
  if (path === undefined || !type.includes('json')) return [];
  if (type.startsWith('application/problem+json')) return faultsOf('ProblemAnswer', json);
  const route = CONSOLE_ROUTES.find((one) => one.method === method && patternOf(one.path).test(path));
  if (route === undefined) return [`${method} ${path} answers ${status}, and is in no table`];
  if (route.answer.includes('document')) return [];
  const isPreview = route.isChange && Object.hasOwn(route.query ?? {}, 'preview') && /[?&]preview\b/.test(url);
  const expected = isPreview ? 200 : route.status;
  const faults = route.answer.map((name) => faultsOf(name, json));
  return [
    ...(status === expected ? [] : [`the status is ${status} and not ${expected}`]),
    ...(faults.some((ofType) => ofType.length === 0) ? [] : faults.flat()),
  ];
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`);
}

function faultsOf(name: string, value: unknown): readonly unknown[] {
  const validate = ajv.getSchema(`openapi#/components/schemas/${name}`);
  if (validate === undefined) return [`the document has no ${name}`];
  return validate(value) === true ? [] : (validate.errors ?? []);
}
