import { Text, visibleText } from '../text/index.js';
import { HIDDEN, type PropRow, type Raw } from './form.js';
import { words } from './texts.js';

interface PropsInputProps {
  readonly rows: readonly PropRow[];
  readonly labelledBy: string;
  /** The props as the API has them: those that are not shown can stay. */
  readonly present: unknown;
  readonly onEdit: (raw: Raw) => void;
}

/** Names and values; what is not shown stays as it is until it is replaced. */
export function PropsInput({ labelledBy, onEdit, present, rows }: PropsInputProps) {
  const t = words.value;
  const put = (changed: PropRow) => onEdit(rows.map((row) => (row.key === changed.key ? changed : row)));
  const add = () =>
    onEdit([...rows, { key: Math.max(-1, ...rows.map(({ key }) => key)) + 1, name: '', value: '', isNew: true }]);
  return (
    <div class="props" role="group" aria-labelledby={labelledBy}>
      {rows.map((row) => {
        const name = visibleText(row.name);
        const isHidden = Reflect.get(Object(present), row.name) === HIDDEN;
        return (
          <div class="prop" key={row.key}>
            {row.isNew ? (
              <input
                class="input mono"
                aria-label={t.propName}
                placeholder={t.propName}
                value={row.name}
                spellcheck={false}
                autocapitalize="none"
                onInput={({ currentTarget }) => put({ ...row, name: currentTarget.value })}
              />
            ) : (
              <code class="cut">
                <Text>{row.name}</Text>
              </code>
            )}
            {row.value === HIDDEN ? (
              <span class="with-unit">
                <em class="dim">{t.hiddenStays}</em>
                <button
                  type="button"
                  class="btn small"
                  aria-label={`${t.replace} ${name}`}
                  onClick={() => put({ ...row, value: '' })}
                >
                  {t.replace}
                </button>
              </span>
            ) : (
              <span class="with-unit">
                <input
                  class="input mono"
                  aria-label={t.propValue(name)}
                  value={row.value}
                  spellcheck={false}
                  autocapitalize="none"
                  onInput={({ currentTarget }) => put({ ...row, value: currentTarget.value })}
                />
                {isHidden && (
                  <button
                    type="button"
                    class="btn small"
                    aria-label={`${t.keep}: ${name}`}
                    onClick={() => put({ ...row, value: HIDDEN })}
                  >
                    {t.keep}
                  </button>
                )}
              </span>
            )}
            <button
              type="button"
              class="btn small bare"
              aria-label={t.propRemove(name)}
              onClick={() => onEdit(rows.filter(({ key }) => key !== row.key))}
            >
              ×
            </button>
          </div>
        );
      })}
      <button type="button" class="btn small" onClick={add}>
        {t.propAdd}
      </button>
    </div>
  );
}
