/** How to read a text. */
export interface ImportSource {
  /** @default 'properties' if the first setting is written with `=`, else 'yaml' */
  readonly format?: 'yaml' | 'properties';
  /** Values of Spring's placeholders (`${ZK_SERVERS}`), such as `process.env`. @default the defaults in the text */
  readonly placeholders?: Readonly<Record<string, string | undefined>>;
  /**
   * The active profiles of Spring, for a text of several documents (`---`, and `#---` in properties). Documents that
   * `spring.config.activate.on-profile` gives to other profiles do not count; later ones go over earlier ones. `[]` is
   * a process without a profile. A file of its own, `application-prod.yml`, goes behind the other one, after a `---`.
   * @default none: a text of several documents is refused
   */
  readonly profiles?: readonly string[];
}
