import { Panel } from '../parts/index.js';
import { Text } from '../text/index.js';
import { OPTIONS_OF_CODE } from './fields.js';
import { words } from './texts.js';

interface UnshareableProps {
  readonly settings: readonly string[];
  /** True if there are Java instances, or jobs of ElasticJob-Cloud: then it matters now. */
  readonly isShared: boolean;
}

/** Settings that Java instances would not follow, each with the reason. */
export function Unshareable({ isShared, settings }: UnshareableProps) {
  const t = words.value;
  return (
    <div class={isShared ? 'told warn' : 'told'}>
      <strong>{t.javaSome}</strong>
      <ul>
        {settings.map((setting) => (
          <li key={setting}>
            <code>{setting}</code> {t.javaWhy[setting]}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface BesideProps {
  readonly unshareable: readonly string[];
  readonly note: string | null;
}

export function BesideJava({ note, unshareable }: BesideProps) {
  const t = words.value;
  return (
    <Panel title={t.java}>
      <div class="side-panel">
        {unshareable.length === 0 ? (
          <p class="dim">{t.javaAll}</p>
        ) : (
          <Unshareable settings={unshareable} isShared={note !== null} />
        )}
        {note !== null && (
          <p class="dim">
            <Text>{note}</Text>
          </p>
        )}
      </div>
    </Panel>
  );
}

/** Options that no edit reaches, and why. */
export function OfCode() {
  const t = words.value;
  return (
    <Panel title={t.code}>
      <div class="side-panel">
        <p class="dim">{t.codeWhy}</p>
        <ul class="of-code">
          {OPTIONS_OF_CODE.map((option) => (
            <li key={option}>
              <code>{option}</code>
            </li>
          ))}
        </ul>
        <p class="dim">{t.overwriteWhy}</p>
      </div>
    </Panel>
  );
}
