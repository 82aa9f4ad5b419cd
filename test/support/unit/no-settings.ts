const WHERE_DECLARED = 'change it where the job or its template is declared';

/** Parts that no edit of a job may have, and the texts that name each of them and say what is right. */
export const NO_SETTINGS: readonly (readonly [title: string, given: object, problems: readonly string[]])[] = [
  ['the name', { name: 'z' }, ['name must be left out: a job keeps its name']],
  ['no name', { name: null }, ['name must be left out']],
  ['overwrite', { overwrite: true }, [`overwrite must be left out: it belongs to the code; ${WHERE_DECLARED}`]],
  [
    'options of the code',
    {
      className: 'C',
      isolation: 'worker-thread',
      workerModule: 'file:///w.js',
      workerExport: 'work',
      executor: 'task',
      appName: 'app',
      resources: { cpu: 1 },
      task: {},
    },
    ['className', 'isolation', 'workerModule', 'workerExport', 'executor', 'appName', 'resources', 'task'].map(
      (name) => `${name} must be left out: it belongs to the code; ${WHERE_DECLARED}`,
    ),
  ],
  ['a dialect', { cronDialect: 'unix' }, ['cronDialect must be left out: it belongs to the code']],
  ['a misspelled name', { jobParamter: 'p' }, ['jobParamter is not an option of a job; did you mean jobParameter?']],
  ['a misspelled name of null', { retryDelay: null }, ['did you mean retryDelayMs?']],
  ['an unknown name', { jobName: 'z' }, ['jobName is not an option of a job']],
  [
    'the prototype of a request body',
    JSON.parse('{"__proto__":{"name":"z"}}'),
    ['__proto__ is not an option of a job'],
  ],
  ['an inherited name', Object.create({ name: 'z' }), ['name must be left out']],
  [
    'an inherited setting',
    Object.create({ jobParameter: 'p' }),
    ['jobParameter is inherited; give it as a property of the object itself'],
  ],
  ['a symbol', { [Symbol('name')]: 'z' }, ['Symbol(name) is not an option of a job; its options have texts as names']],
  [
    'several of these beside a wrong value',
    { name: 'z', croon: '', maxAttempts: 0 },
    ['name must be left out', 'croon is not an option of a job; did you mean cron?', 'maxAttempts must be'],
  ],
];

/** Values that are no object with settings, by their type. */
export const NO_EDITS = new Map<string, unknown>([
  ['Null', null],
  ['Undefined', undefined],
  ['Array', [['jobParameter', 'p']]],
  ['String', 'jobParameter'],
  ['Map', new Map([['jobParameter', 'p']])],
  ['Function', () => ({ jobParameter: 'p' })],
]);

/** The value, of whatever type: a request body may break its type. */
export function untyped(value: unknown) {
  return Object.assign(JSON.parse('{}'), { it: value }).it;
}
