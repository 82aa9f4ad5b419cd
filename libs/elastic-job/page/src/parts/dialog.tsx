import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: ComponentChildren;
  readonly children: ComponentChildren;
  /** Called when Escape is pressed; undefined: it cannot be closed so. */
  readonly onCancel?: (() => void) | undefined;
}

/**
 * A modal dialog, open as long as it is there. Focus goes to its first field (`autofocus`), stays within, and comes
 * back to where it was, or to the view if that is gone. One that is opened later stands above.
 */
export function Dialog({ children, onCancel, title }: DialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Before the next key: what is typed at once after a press is meant for the dialog.
  useLayoutEffect(() => {
    const before = document.activeElement;
    const { current } = dialog;
    current?.showModal();
    return () => {
      current?.close();
      // A list may have dropped what it was on, since the dialog has changed that.
      const back = before?.isConnected === true ? before : document.querySelector('main');
      if (back instanceof HTMLElement) back.focus();
    };
  }, []);
  const cancel = (event: Event) => {
    event.preventDefault();
    onCancel?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Browsers close a dialog on a second Escape, whatever `cancel` says.
    if (event.key === 'Escape') cancel(event);
    // Enter that is still held from the press that has opened the dialog would send it.
    if (event.key === 'Enter' && event.repeat && !(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
  };
  return (
    <dialog ref={dialog} aria-labelledby={id} onCancel={cancel} onKeyDown={onKeyDown}>
      <div class="dialog">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
