import { present } from '../api/index.js';
import { csvOf, fileName, jsonOf } from './export.js';
import { words } from './texts.js';

interface SaveProps<Row> {
  /** Beginning of the name of the file. */
  readonly list: string;
  /** Names of the fields, in their order in CSV. */
  readonly columns: readonly (keyof Row & string)[];
  /** Those that are shown. */
  readonly rows: readonly Row[];
}

/** Saves the rows that are shown, as the API has them. */
export function Save<Row extends object>({ columns, list, rows }: SaveProps<Row>) {
  const { save } = words.value;
  const give = (ending: 'csv' | 'json') => {
    const text = ending === 'csv' ? csvOf(columns, rows) : jsonOf(rows);
    download(fileName(list, present(), ending), text, ending === 'csv' ? 'text/csv' : 'application/json');
  };
  return (
    <span class="saves" role="group" aria-label={save.label}>
      {(['csv', 'json'] as const).map((ending) => (
        <button
          key={ending}
          type="button"
          class="btn small"
          disabled={rows.length === 0}
          title={save.label}
          onClick={() => give(ending)}
        >
          {save[ending]}
        </button>
      ))}
    </span>
  );
}

function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
