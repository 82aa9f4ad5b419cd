import type { ComponentChildren } from 'preact';
import { Text } from '../text/index.js';

/** A line of an inspector, in a `<dl class="facts-list">`. */
export function Fact({ children, name }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** Id of an instance. */
export function Instance({ children }: { readonly children: string }) {
  return (
    <span class="mono">
      <Text>{children}</Text>
    </span>
  );
}
