import { signal } from '@preact/signals';
import { useRef, useState } from 'preact/hooks';

/** Longer than a change takes to come back from the registry, in milliseconds. */
const OWN_MS = 2_000;
/** True for a moment after a change of the person's own, who waits to see it. */
const isLetGo = signal(false);
let ending: ReturnType<typeof setTimeout> | undefined;

/** Lets all lists show what comes now, also those with the pointer or the focus on them. */
export function letGo(): void {
  isLetGo.value = true;
  clearTimeout(ending);
  ending = setTimeout(() => (isLetGo.value = false), OWN_MS);
}

/** Handlers of the element on which the pointer or the focus counts. */
export interface Holding {
  readonly onPointerEnter: (event: PointerEvent) => void;
  readonly onPointerLeave: () => void;
  readonly onFocusIn: () => void;
  readonly onFocusOut: (event: FocusEvent) => void;
}

/**
 * Keeps what a list shows while the pointer or the focus is on it, so that nothing moves away from under a click. A
 * change of the person's own is shown all the same (`letGo`).
 * Compare by identity: give it a value that is only made anew if something has changed.
 * @returns the value to show, and `isHeld` if there is a newer one
 */
export function useHeld<Value>(value: Value): {
  readonly shown: Value;
  readonly isHeld: boolean;
  readonly holding: Holding;
} {
  const on = useRef({ pointer: false, focus: false });
  const kept = useRef(value);
  const [, update] = useState(0);
  const isOn = () => on.current.pointer || on.current.focus;
  if (!isOn() || isLetGo.value || kept.current === undefined) kept.current = value;
  const set = (what: 'pointer' | 'focus', is: boolean) => {
    if (on.current[what] === is) return;
    on.current[what] = is;
    if (!isOn()) update((count) => count + 1);
  };
  return {
    shown: kept.current,
    isHeld: kept.current !== value,
    holding: {
      // A finger stays on what it has touched, as far as the browser knows.
      onPointerEnter: ({ pointerType }) => set('pointer', pointerType === 'mouse'),
      onPointerLeave: () => set('pointer', false),
      onFocusIn: () => set('focus', true),
      onFocusOut: ({ currentTarget, relatedTarget }) => {
        const stays =
          currentTarget instanceof Element && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
        if (!stays) set('focus', false);
      },
    },
  };
}
