import type { CardOptions, ElementContext } from './card.ts'
import { type Frame, openFrame, placeOf, randomNonce } from './frame.ts'
import { announce, holderOf } from './holder.ts'
import { createListeners } from './listeners.ts'
import type { CardFieldName, CardStyle, ElementEvents, Listener, SubmittedCard } from './messages.ts'

export type CardFieldsOptions = CardOptions

/** One field of a card in a frame of its own. */
export interface FieldElement {
  mount(place: string | Element): void
  unmount(): void
  focus(): void
}

/**
 * The fields of a card in frames of their own, for pages that place each by itself. Browsers fill in a whole card
 * only within one frame: prefer `card()`. The frames speak with each other through channels that the page does
 * not have.
 */
export interface CardFields {
  number: FieldElement
  expiry: FieldElement
  code: FieldElement
  /** If the option `postalCode` is set. */
  postalCode?: FieldElement
  on<Name extends keyof ElementEvents>(name: Name, listener: Listener<Name>): () => void
  submit(): Promise<SubmittedCard>
  update(options: { style: CardStyle }): void
  clear(): void
  unmount(): void
}

export function createCardFields(context: ElementContext, options: CardFieldsOptions = {}): CardFields {
  const listeners = createListeners()
  const holder = holderOf(listeners)
  const names: CardFieldName[] = [
    'number',
    'expiry',
    'code',
    ...(options.postalCode ? ['postalCode' as const] : []),
  ]
  const group = randomNonce()
  const locale = options.locale ? { locale: options.locale } : undefined
  const frames = new Map<CardFieldName, Frame>()
  let { style } = options
  let coordinator: Frame | undefined
  let forget: (() => void) | undefined

  /** The hidden frame that holds the card. It starts before the fields, which look for it by its name. */
  function startCoordinator(): Frame {
    if (coordinator) return coordinator
    const opened = openFrame(document.body, {
      base: context.base,
      session: context.session(),
      parameters: { view: 'coordinator', fields: names.join(',') },
      title: 'Card',
      name: `railyard-${group}`,
      group,
      receive: holder.receive,
    })
    opened.element.hidden = true
    forget = context.onSession((session) => opened.send({ kind: 'session', session }))
    coordinator = opened
    announce(opened.started, listeners)
    return opened
  }

  const field = (name: CardFieldName): FieldElement => {
    /** The mount that counts: an earlier one may still be waiting for the coordinator. */
    let mounted = 0
    return {
      mount(target) {
        const place = placeOf(target)
        this.unmount()
        const mount = ++mounted
        startCoordinator().started.then(
          () => {
            if (mount !== mounted) return
            const opened = openFrame(place, {
              base: context.base,
              session: context.session(),
              parameters: { view: 'field', fields: name, ...locale },
              title: name,
              group,
              receive: holder.receive,
            })
            if (style) opened.send({ kind: 'style', style })
            frames.set(name, opened)
          },
          () => undefined,
        )
      },
      unmount() {
        mounted++
        frames.get(name)?.remove()
        frames.delete(name)
      },
      focus() {
        frames.get(name)?.element.focus()
        frames.get(name)?.send({ kind: 'focus', field: name })
      },
    }
  }

  const elements = {
    number: field('number'),
    expiry: field('expiry'),
    code: field('code'),
    ...(options.postalCode && { postalCode: field('postalCode') }),
  }
  return {
    ...elements,
    on: listeners.on,
    submit: () => holder.submit(coordinator),
    update(changed) {
      style = { ...style, ...changed.style }
      for (const frame of frames.values()) frame.send({ kind: 'style', style })
    },
    clear: () => coordinator?.send({ kind: 'clear' }),
    unmount() {
      for (const element of Object.values(elements)) element?.unmount()
      forget?.()
      coordinator?.remove()
      holder.close()
      coordinator = undefined
    },
  }
}
