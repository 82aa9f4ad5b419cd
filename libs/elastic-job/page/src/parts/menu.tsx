import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface MenuProps {
  /** Content of the button. */
  readonly button: ComponentChildren;
  /** Name of the button for readers of screens, if it shows none. */
  readonly label?: string;
  /** `MenuItem`s. */
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A button with a menu below it. Arrows go through the menu; Escape and a click elsewhere close it. */
export function Menu({ button, children, class: own = 'btn small bare', label }: MenuProps) {
  const id = useId().replaceAll(/[^\w-]/g, '');
  const menu = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const place = () => {
    if (menu.current === null || opener.current === null) return;
    const { bottom, left, right } = opener.current.getBoundingClientRect();
    const { style } = menu.current;
    style.top = `${bottom + 4}px`;
    const isRight = left > innerWidth / 2;
    style.left = isRight ? 'auto' : `${left}px`;
    style.right = isRight ? `${document.documentElement.clientWidth - right}px` : 'auto';
  };
  const onToggle = (event: { readonly newState: string }) => {
    const isOpen = event.newState === 'open';
    opener.current?.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) itemsOf(menu.current)[0]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const items = itemsOf(menu.current);
    const at = items.findIndex((item) => item === document.activeElement);
    items[(at + step + items.length) % items.length]?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={own}
        aria-haspopup="menu"
        aria-expanded="false"
        aria-label={label}
        popovertarget={id}
        onClick={place}
      >
        {button}
      </button>
      <div
        ref={menu}
        id={id}
        class="menu"
        popover="auto"
        role="menu"
        aria-label={label}
        onBeforeToggle={place}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
        onClick={() => menu.current?.hidePopover()}
      >
        {children}
      </div>
    </>
  );
}

interface MenuItemProps {
  readonly children: ComponentChildren;
  readonly onSelect: () => void;
  /** For one of several choices. */
  readonly isChosen?: boolean;
  /** For the view that is shown. */
  readonly isCurrent?: boolean;
}

export function MenuItem({ children, isChosen, isCurrent = false, onSelect }: MenuItemProps) {
  const isChoice = isChosen !== undefined;
  return (
    <button
      type="button"
      role={isChoice ? 'menuitemradio' : 'menuitem'}
      aria-checked={isChosen}
      aria-current={isCurrent ? 'page' : undefined}
      tabIndex={-1}
      onClick={onSelect}
    >
      {children}
    </button>
  );
}

function itemsOf(menu: HTMLElement | null): readonly HTMLElement[] {
  return [...(menu?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];
}
