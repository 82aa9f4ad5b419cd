import { Text, texts } from '../text/index.js';

/** The name of a release, or words for the instances that tell none. */
export function Release({ version }: { readonly version: string | null }) {
  return version === null ? <>{texts.value.overview.deploy.silent}</> : <Text>{version}</Text>;
}
